/** JSON from the server. Its type is open: each test asserts the fields that it expects. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test are its type
export type Body = any;
