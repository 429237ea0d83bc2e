/** Why a value cannot be formatted, in cel-go's words. */
export class FormatError extends Error {}
