export { callsInProgress, nameCall } from "./calls-in-progress.ts";
export {
  type Asker,
  createConversations,
  type Listener,
  type Progress,
  startConversation,
} from "./conversations.ts";
export { isAnswer, nameAsker, questions } from "./questions.ts";
export { createSessionId, readSession, type Session, sessionHeader } from "./session.ts";
