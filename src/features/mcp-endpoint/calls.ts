import {
  type CreateMessageRequestParams,
  type ElicitRequestParams,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  specTypeSchemas,
} from "@modelcontextprotocol/server";
import { hashSecret } from "../../platform/secrets.ts";
import { callTool } from "./capabilities/index.ts";
import { type Called, conversations } from "./conversations.ts";
import type { CallOptions, Exchange } from "./exchange.ts";
import {
  type Asker,
  callsInProgress,
  type Listener,
  nameAsker,
  nameCall,
  questions,
  startConversation,
} from "./sessions/index.ts";

/** The name of the only question of an answer. */
const questionKey = "question";

/** Answers a call of a tool: with its result, or with a question of the tool to the person or model at the client. */
export async function answerCall(
  exchange: Exchange,
  server: Server,
  request: ServerContext,
  name: string,
  args: Record<string, unknown>,
): Promise<{ called: Called } | { asked: InputRequiredResult }> {
  const { ctx, session } = exchange;
  const { mcpReq } = request;
  const key = session && nameCall(ctx, session, mcpReq.id);
  const { signal, end } = ctx.state.get(callsInProgress).begin(key, mcpReq.signal);
  const kept = ctx.state.get(conversations);
  // Only calls that ask need it.
  const createOwner = () => {
    const call = hashSecret(JSON.stringify([ctx.caller.credentialId, name, args]));
    return { orgId: ctx.orgId, memberId: ctx.member.id, call };
  };
  const state = mcpReq.requestState();
  try {
    const isNew = typeof state !== "string";
    const conversation = isNew
      ? startConversation((asker) => run(exchange, server, request, asker, name, args))
      : kept.take(createOwner(), state);
    if (!isNew) conversation.answer(mcpReq.inputResponses?.[questionKey]);
    const step = await conversation.wait({ signal, onProgress: createProgress(request) });
    if ("result" in step) return { called: step.result };
    const inputRequests = { [questionKey]: step.question };
    return { asked: inputRequired({ inputRequests, requestState: kept.keep(createOwner(), conversation) }) };
  } finally {
    end();
  }
}

async function run(
  exchange: Exchange,
  server: Server,
  request: ServerContext,
  asker: Asker,
  name: string,
  args: Record<string, unknown>,
): Promise<Called> {
  const called = await callTool(exchange, name, args, {
    signal: asker.signal,
    onProgress: asker.onProgress,
    client: exchange.session?.client ?? server.getClientVersion()?.name,
    ...createQuestions(exchange, server, request, asker),
  });
  if (called) return called;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool ${name.slice(0, 200)}. tools/list and search_capabilities show the tools that you can use.`,
  );
}

/** Undefined when the client did not ask for progress. */
function createProgress({ mcpReq }: ServerContext): Listener["onProgress"] {
  const { progressToken } = mcpReq._meta ?? {};
  if (progressToken === undefined) return undefined;
  return (progress) =>
    void mcpReq
      .notify({ method: "notifications/progress", params: { ...progress, progressToken } })
      .catch(() => {});
}

/** Only what the client declared is passed on to it. An upstream that asks for anything else is refused. */
function createQuestions(
  { ctx, session }: Exchange,
  server: Server,
  { mcpReq }: ServerContext,
  asker: Asker,
): Pick<CallOptions, "onElicit" | "onSample"> {
  const { elicitation, sampling } = session ?? server.getClientCapabilities() ?? {};
  const ask = (question: InputRequest, signal: AbortSignal): Promise<unknown> => {
    if (!session) return asker.ask(question, signal);
    const send = async (id: string) =>
      server.transport?.send({ jsonrpc: "2.0", id, ...question }, { relatedRequestId: mcpReq.id });
    return ctx.state
      .get(questions)
      .ask(nameAsker(ctx, session), send, AbortSignal.any([signal, asker.signal]));
  };
  return {
    onElicit: elicitation
      ? async (params: ElicitRequestParams, signal) => {
          const answer = await ask({ method: "elicitation/create", params }, signal);
          const checked = specTypeSchemas.ElicitResult["~standard"].validate(answer);
          return checked.issues ? { action: "cancel" } : checked.value;
        }
      : undefined,
    onSample: sampling
      ? async (params: CreateMessageRequestParams, signal) => {
          const answer = await ask({ method: "sampling/createMessage", params }, signal);
          const checked = specTypeSchemas.CreateMessageResult["~standard"].validate(answer);
          if (checked.issues) throw new Error("The answer of the client is not a message.");
          return checked.value;
        }
      : undefined,
  };
}
