import type { Client, OauthConnection } from "@signalbox/client";
import { cleanText } from "@signalbox/command-line";
import { OperatorError } from "../../platform/errors.ts";

/** Splits a comma-separated list; `none` means an empty list. */
const splitWords = (text: string): string[] =>
  text.trim() === "none"
    ? []
    : text
        .split(",")
        .map((word) => word.trim())
        .filter((word) => word !== "");

/** Finds the ids of templates that are named by id or slug. */
export async function findTemplateIds(client: Client, text: string): Promise<string[]> {
  const ids: string[] = [];
  for (const word of splitWords(text)) {
    if (word.startsWith("tpl_")) {
      ids.push(word);
      continue;
    }
    const [found] = (await client.templates.list({ slug: word, limit: 1 })).items;
    if (!found)
      throw new OperatorError(`There is no template ${cleanText(word)}. Try \`signalbox templates list\`.`);
    ids.push(found.id);
  }
  return ids;
}

/** Finds the ids of connections that are named by id, by provider, or by provider and account. */
export async function findConnectionIds(client: Client, text: string): Promise<string[]> {
  const ids: string[] = [];
  for (const word of splitWords(text)) {
    if (word.startsWith("ocn_")) {
      ids.push(word);
      continue;
    }
    const [providerId = "", account] = word.split("/", 2);
    const { items } = await client.connections.list({ providerId, limit: 100 });
    const named = items.filter((one) => account === undefined || one.account === account);
    if (named.length === 0)
      throw new OperatorError(
        `There is no connection ${cleanText(word)}. Try \`signalbox connections list\`.`,
      );
    if (named.length > 1) throw new OperatorError(describeSeveralConnections(word, named));
    ids.push(named[0]!.id);
  }
  return ids;
}

const describeSeveralConnections = (word: string, found: OauthConnection[]) =>
  `There are several connections ${cleanText(word)}. Give one of the ids: ${found.map(({ id }) => cleanText(id)).join(", ")}.`;
