import type { callTool } from "./capabilities/index.ts";
import { createConversations } from "./sessions/index.ts";

export type Called = NonNullable<Awaited<ReturnType<typeof callTool>>>;

/** The calls that wait for an answer of the client. */
export const conversations = createConversations<Called>();
