import {
  type Definition,
  findSchema,
  findTarget,
  groupDefinition,
  type Target,
  userDefinition,
} from "../definitions/index.ts";
import { invalidSyntax, invalidValue } from "../errors.ts";
import type { Attributes, GroupResource, UserResource } from "./types.ts";
import { checkCount, checkRequired, countNames, isObject, readValue, readValues } from "./values.ts";

/** Puts a value that was read at its place, or removes what is there. */
export function setValue(resource: Attributes, { extension, attribute, sub }: Target, value: unknown): void {
  const holder = extension ? open(resource, extension.id) : resource;
  if (sub) setKey(open(holder, attribute.name), sub.name, value);
  else setKey(holder, attribute.name, value);
  if (sub && isEmpty(holder[attribute.name])) delete holder[attribute.name];
  if (extension && isEmpty(holder)) delete resource[extension.id];
}

/** A copy of the object at a key, so that a change does not affect the original resource. */
function open(holder: Attributes, key: string): Attributes {
  const inner = { ...(holder[key] as Attributes | undefined) };
  holder[key] = inner;
  return inner;
}

function setKey(holder: Attributes, key: string, value: unknown): void {
  if (value === undefined) delete holder[key];
  else holder[key] = value;
}

const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0;

/** Every name is looked up in the schemas, also when it is not known. Directories send some dozens. */
const maxNames = 1_000;

/** Reads the attributes that we keep. Others, and those that only the service sets, are ignored (RFC 7644, 3.3). */
function readAttributes(definition: Definition, body: unknown): Attributes {
  if (!isObject(body)) throw invalidSyntax("The body must be a JSON object.");
  if (countNames(body, maxNames) > maxNames)
    throw invalidValue(
      `A resource names at most ${maxNames} attributes. Leave out those that /Schemas does not list.`,
    );
  const resource: Attributes = {};
  const read = (name: string, raw: unknown) => {
    const target = findTarget(definition, name);
    if (!target || target.attribute.mutability === "readOnly" || target.sub?.mutability === "readOnly")
      return;
    if (target.sub && target.attribute.multiValued) return;
    setValue(resource, target, readValue(target.sub ?? target.attribute, raw));
  };
  for (const [key, raw] of Object.entries(body)) {
    const schema = findSchema(definition, key);
    if (!schema) read(key, raw);
    else if (isObject(raw))
      for (const [name, inner] of Object.entries(raw)) read(`${schema.id}:${name}`, inner);
    else if (raw !== null) throw invalidValue(`\`${schema.id}\` must be an object.`);
  }
  checkRequired(definition.schema.attributes, resource);
  return resource;
}

export const readUser = (body: unknown): UserResource =>
  readAttributes(userDefinition, body) as unknown as UserResource;

/** Members are apart, because a group can have many. Undefined if the body does not name them. */
export function readGroup(body: unknown): { resource: GroupResource; members: string[] | undefined } {
  const { members, ...resource } = readAttributes(groupDefinition, body);
  const key = Object.keys(body as Attributes).find((name) => /(?:^|:)members$/i.test(name));
  return {
    resource: resource as unknown as GroupResource,
    // The members as they were sent: those without an id are refused and not dropped.
    members: key === undefined ? undefined : readMembers((body as Attributes)[key] ?? members),
  };
}

/** The ids of members, each once. */
export function readMembers(raw: unknown): string[] {
  const { attribute } = findTarget(groupDefinition, "members")!;
  const items = raw === null || raw === undefined ? [] : Array.isArray(raw) ? raw : [raw];
  checkCount(attribute, items.length);
  const ids = items.map((item) => {
    const [member = {}] = readValues(attribute, [item]) as { value?: string; type?: string }[];
    if (member.value === undefined) throw invalidValue("Each member needs a `value`: the id of a user.");
    if (member.type !== undefined && member.type.toLowerCase() !== "user")
      throw invalidValue("A member must be a user. Groups inside groups are not supported.");
    return member.value;
  });
  return [...new Set(ids)];
}
