/** One item of a request cannot be stored. The others can. */
export class Rejection extends Error {}
