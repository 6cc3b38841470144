import type { Tool, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { MemberCtx } from "../../../platform/context.ts";
import {
  checkInput,
  checkInvocation,
  type InvokedInput,
  invoke,
  operationId,
  type Route,
} from "../../../platform/http/index.ts";
import { endpointCredentials } from "../contract.ts";
import type { CallOptions } from "../exchange.ts";
import { defineSchema } from "../schemas.ts";

/** A tool of the control plane. A route of the API does its work and decides who may use it. */
export interface OwnTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Tool["inputSchema"];
  outputSchema: NonNullable<Tool["outputSchema"]>;
  annotations: ToolAnnotations;
  mayCall(ctx: MemberCtx): boolean;
  call(ctx: MemberCtx, given: unknown, options: CallOptions): Promise<Record<string, unknown>>;
}

interface OwnToolSpec<Input extends z.ZodObject> extends Pick<OwnTool, "title" | "description"> {
  /** Without the prefix `signalbox__`. */
  name: string;
  route: Route;
  input: Input;
  /** By default the reply of the route. */
  output?: z.ZodObject;
  annotations: ToolAnnotations;
  /** The input of the route, for tools that only call it. */
  toInput?(args: z.output<Input>): InvokedInput;
  run?(ctx: MemberCtx, args: z.output<Input>, options: CallOptions): Promise<Record<string, unknown>>;
}

/** Annotations of tools that change nothing. */
export const readOnly: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

export function defineTool<Input extends z.ZodObject>({
  name,
  title,
  description,
  route,
  input,
  output = findReply(route),
  annotations,
  toInput = () => ({}),
  run = (ctx, args) => callRoute(route, ctx, toInput(args)),
}: OwnToolSpec<Input>): OwnTool {
  return {
    name: `signalbox__${name}`,
    title,
    description,
    inputSchema: defineSchema(input, "input"),
    outputSchema: defineSchema(output, "output"),
    annotations,
    mayCall: (ctx) => isAllowed(route, ctx),
    call: async (ctx, given, options) => {
      checkInvocation(route, ctx, endpointCredentials);
      return run(ctx, checkInput(input, given), options);
    },
  };
}

function isAllowed(route: Route, ctx: MemberCtx): boolean {
  try {
    checkInvocation(route, ctx, endpointCredentials);
    return true;
  } catch {
    return false;
  }
}

export async function callRoute(
  route: Route,
  ctx: MemberCtx,
  input: InvokedInput,
): Promise<Record<string, unknown>> {
  return checkInput(anyObject, await invoke(route, ctx, input, endpointCredentials));
}

const anyObject = z.looseObject({});

export function findRoute(routes: readonly Route[] | undefined, operation: string): Route {
  const found = routes?.find(({ spec }) => operationId(spec) === operation);
  if (!found) throw new Error(`There is no route ${operation}.`);
  return found;
}

function findReply({ spec }: Route): z.ZodObject {
  const reply = Object.values(spec.replies).find((schema) => schema !== null);
  if (!(reply instanceof z.ZodObject)) throw new Error(`${spec.path} does not reply with an object.`);
  return reply;
}

export const page = {
  limit: z.int().min(1).max(100).default(20).describe("The maximum number of items to return."),
  cursor: z.string().max(500).optional().describe("`nextCursor` of the page before."),
};
export const id = (what: string) => z.string().min(1).max(160).describe(`The id of the ${what}.`);
