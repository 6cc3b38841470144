import { expect, test } from "vitest";
import { decodeMessages, encodeMessage, type Message } from "./event-stream.ts";

async function decode(...parts: (Message | Uint8Array)[]): Promise<Message[]> {
  const source = async function* () {
    yield* parts;
  };
  const messages: Message[] = [];
  for await (const message of decodeMessages(source())) messages.push(message);
  return messages;
}

test("messages are read back as they were, whatever their text contains", async () => {
  const messages: Message[] = [
    { id: "1", event: "run_event", data: { text: "a\u2028event: run\u2028id: 9\u2029b" } },
    { data: { text: "\r\n\n data: {} \u0085" } },
    { id: "2", data: "data: x" },
  ];
  expect(await decode(Buffer.concat(messages.map(encodeMessage)))).toEqual(messages);
});

test("comments and the time to reconnect are left out", async () => {
  const text = new TextEncoder().encode(": still here\n\nretry: 2000\n\n");
  expect(await decode(text, { data: 1 })).toEqual([{ data: 1 }]);
});
