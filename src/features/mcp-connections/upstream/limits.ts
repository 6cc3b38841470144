/** A server that says that more follows after so many tools or pages does not come to an end. */
export const maxTools = 2_000;
export const maxPages = 64;
/** Tools beyond `maxTools` on the last page are counted. A list with more than this is refused, because each is checked. */
export const maxCountedTools = 20_000;
/** Requests of a server that a session answers at the same moment. No normal server sends so many. */
export const maxQuestions = 32;
