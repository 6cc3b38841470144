import type { Body } from "@signalbox/client";
import { cleanText } from "@signalbox/command-line";
import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";
import { formatLocalTime } from "./remote/format.ts";
import { budgets, costOptionsHelp, prices, setBudget, setPrice } from "./remote/llm-costs.ts";
import { openPrompt } from "./remote/prompt.ts";
import {
  connectionHelp,
  connectionOptions,
  createGroup,
  createStatusColumn,
  openAction,
  openSession,
  parseLimit,
} from "./remote/session.ts";
import { withFreshSession } from "./remote/sign-in.ts";

const help = `
Usage: signalbox llm-providers <action> [options]

Actions:
  list                     the LLM providers that you may use; with llm_providers:manage all of them
  create                   add a provider; asks for your password, then for its key
  add-key <id>             add a key to a provider; asks for your password, then for the key
  test <id>                test the key that would be handed out, without cost
  prices                   the organization's own prices
  set-price <provider>/<model>
                           a price from a time on; the provider is a kind or an id
  budgets                  budgets and alerts, with what is spent
  set-budget <subject>     organization, team:ID, member:ID or provider:ID; changes the one that exists

Where stdin is a pipe, the password (and the code of a second factor) and the key are read from it, one a line.
A new provider is granted to nobody: PUT /v1/llm-providers/{id}/access.

Options:
  --kind KIND        create: such as anthropic or openai_compatible (GET /v1/llm-provider-catalog)
  --name NAME        create: its name; add-key: a name for the key
  --base-url URL     create: the address, for kinds without a fixed one
  --models A,B       create: the only models that may be used; * at the end stands for any rest
  --without-key      create: for a server of your own that needs no key
  --key ID           test: another key
  --model MODEL      test: whether the key can use it
${costOptionsHelp}
  --limit N          list, prices, budgets: how many at most (50); set-budget: the limit in dollars
  every action:${connectionHelp}

Examples:
  signalbox llm-providers create --kind anthropic --name Anthropic
  signalbox llm-providers add-key llp_01m7… --name production < password-and-key.txt
  signalbox llm-providers set-price anthropic/claude-sonnet-4-5 --input 3 --output 15 --from 2026-11-01
  signalbox llm-providers set-budget team:team_01m7… --limit 250 --period month --alert
`;

async function list(args: string[], io: Io): Promise<number> {
  const options = { ...connectionOptions, limit: { type: "string", default: "50" } } as const;
  const { values } = readArguments(args, { help, options });
  const limit = parseLimit(values.limit);
  const session = openSession(values, io);
  session.showList(
    await session.client.llmProviders.list({ limit }),
    [
      { title: "ID", value: ({ id }) => id, whole: true },
      { title: "NAME", value: ({ name }) => name },
      { title: "KIND", value: ({ kind }) => kind },
      { title: "ADDRESS", value: ({ baseUrl }) => baseUrl },
      createStatusColumn(session, "STATUS", ({ enabled }) => (enabled ? "active" : "disabled")),
      { title: "KEYS", value: ({ keys }) => String(keys) },
      { title: "KEY", value: ({ keyTail }) => (keyTail ? `…${keyTail}` : "") },
      { title: "CHANGED", value: ({ updatedAt }) => formatLocalTime(updatedAt), whole: true },
    ],
    "There are no LLM providers that you may use.",
  );
  return exit.ok;
}

async function create(args: string[], io: Io): Promise<number> {
  const options = {
    ...connectionOptions,
    kind: { type: "string" },
    name: { type: "string" },
    "base-url": { type: "string" },
    models: { type: "string" },
    "without-key": { type: "boolean", default: false },
  } as const;
  const { values } = readArguments(args, { help, options });
  const { kind, name, models, "base-url": baseUrl } = values;
  if (!kind || !name) throw new UsageError("Give the provider a --kind and a --name.");
  const session = openSession(values, io);
  const prompt = openPrompt(io.input);
  try {
    const reply = await withFreshSession(session, prompt, async (client) => {
      const apiKey = values["without-key"]
        ? undefined
        : await prompt.ask(`Key of ${name}: `, { hidden: true });
      return client.llmProviders.create({
        kind: kind as Body<"POST /v1/llm-providers">["kind"],
        name,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...(models === undefined ? {} : { models: models.split(",").map((one) => one.trim()) }),
        ...(apiKey === undefined ? {} : { apiKey }),
      });
    });
    const { id } = reply.llmProvider;
    session.showResult(reply, `${name} is added as ${id}. Nobody may use it yet: grant access to it.`);
    return exit.ok;
  } finally {
    prompt.close();
  }
}

async function addKey(args: string[], io: Io): Promise<number> {
  const options = { name: { type: "string" } } as const;
  const { word: id, values, session } = openAction(args, io, { help, what: "the provider's id", options });
  const prompt = openPrompt(io.input);
  try {
    const reply = await withFreshSession(session, prompt, async (client) => {
      const apiKey = await prompt.ask("Key: ", { hidden: true });
      return client.llmProviders.addKey(id, {
        apiKey,
        ...(values.name === undefined ? {} : { name: values.name }),
      });
    });
    const { key } = reply;
    session.showResult(
      reply,
      `The key "${key.name}" (${key.id}) is added. Test it: signalbox llm-providers test ${id}`,
    );
    return exit.ok;
  } finally {
    prompt.close();
  }
}

async function test(args: string[], io: Io): Promise<number> {
  const options = { key: { type: "string" }, model: { type: "string" } } as const;
  const { word: id, values, session } = openAction(args, io, { help, what: "the provider's id", options });
  const { key, model } = values;
  const reply = await session.client.llmProviders.test(id, {
    ...(key === undefined ? {} : { keyId: key }),
    ...(model === undefined ? {} : { model }),
  });
  session.showOne(reply, [
    ["verdict", cleanText(reply.verdict)],
    ["", cleanText(reply.message)],
    ["models", reply.models ? cleanText(reply.models.join(", ")) : null],
  ]);
  return reply.verdict === "valid" ? exit.ok : exit.failed;
}

export const llmProviders = createGroup(help, {
  list,
  create,
  "add-key": addKey,
  test,
  prices: (args, io) => prices(args, io, help),
  "set-price": (args, io) => setPrice(args, io, help),
  budgets: (args, io) => budgets(args, io, help),
  "set-budget": (args, io) => setBudget(args, io, help),
});
