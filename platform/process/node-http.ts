/**
 * Node's module `http` without what an import of it loads besides: an import reads every export, among them those that bring in a whole
 * client for the web (14 MB resident), which nothing here uses.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http');
