export { callsInProgress, nameCall } from "./calls-in-progress.ts";
export { createSessionId, readSession, type Session, sessionHeader } from "./session.ts";
