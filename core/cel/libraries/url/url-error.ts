/** Why a text is no URL, in the words of Go's `net/url`. */
export class UrlError extends Error {}
