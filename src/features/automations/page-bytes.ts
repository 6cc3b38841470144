/** A page of events or late reports ends when it has about this many bytes of payload. */
export const pageBytes = 2 * 1024 * 1024;
