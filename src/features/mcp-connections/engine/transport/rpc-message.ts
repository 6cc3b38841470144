import { isObject, type JsonObject } from "../json.ts";

export type RpcMessage =
  | { kind: "result"; result: JsonObject; exactId: boolean }
  | { kind: "error"; code: number; message: string; data: unknown; exactId: boolean };

export type RpcMessageRead = { kind: "message"; message: RpcMessage } | { kind: "other"; why: string };

/**
 * Finds the answer to one request. A POST carries one request, so a single answer is accepted even under another id
 * or in a list. Several answers are ambiguous and are refused.
 */
export function readRpcMessage(value: unknown, id: number): RpcMessageRead {
  const answers = (Array.isArray(value) ? value.slice(0, 1000) : [value]).map((item) => readItem(item, id));
  const messages = answers.filter((answer) => answer.kind === "message");
  const exact = messages.filter(({ message }) => message.exactId);
  const [only, ...others] = exact.length > 0 ? exact : messages;
  if (only && others.length === 0) return only;
  if (only) return { kind: "other", why: "several JSON-RPC answers to one request" };
  return answers[0] ?? { kind: "other", why: "an empty JSON-RPC batch" };
}

function readItem(value: unknown, id: number): RpcMessageRead {
  if (!isObject(value)) return { kind: "other", why: "JSON that is not a JSON-RPC message" };
  if (typeof value.method === "string")
    return { kind: "other", why: "a JSON-RPC request instead of an answer" };
  // JSON-RPC 1.0 sends the unused member as null.
  const hasResult = value.result !== undefined && value.result !== null;
  const hasError = value.error !== undefined && value.error !== null;
  if (hasResult && hasError)
    return { kind: "other", why: "a JSON-RPC answer with both a result and an error" };
  const exactId = value.id === id || value.id === String(id);
  // Many APIs answer {"error":{"code":404}}. Only the version or the id of the request makes it JSON-RPC.
  const isAnswer = value.jsonrpc !== undefined || exactId;
  if (isAnswer && hasError && isObject(value.error)) {
    const { code, message, data } = value.error;
    if (typeof code !== "number") return { kind: "other", why: "a JSON-RPC error without a code" };
    const text = typeof message === "string" ? message : "";
    return { kind: "message", message: { kind: "error", code, message: text, data, exactId } };
  }
  if (!hasResult || !isObject(value.result) || !isAnswer) {
    return { kind: "other", why: "JSON that is not a JSON-RPC answer" };
  }
  return { kind: "message", message: { kind: "result", result: value.result, exactId } };
}
