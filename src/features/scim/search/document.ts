import {
  type Attribute,
  commonAttributes,
  type Definition,
  groupDefinition,
  userDefinition,
} from "../definitions/index.ts";
import { foldCase } from "../filter/index.ts";
import { type Attributes, type GroupResource, isObject, type UserResource } from "../resources/index.ts";

/** The resource in the form that filters compare: case-insensitive text is in lower case. */
export type SearchDocument = Attributes;

function foldValue(attribute: Attribute, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => foldValue(attribute, one));
  if (isObject(value)) return foldAttributes(attribute.subAttributes ?? [], value);
  return typeof value === "string" && !attribute.caseExact ? foldCase(value) : value;
}

function foldAttributes(attributes: readonly Attribute[], value: Attributes): Attributes {
  const folded: Attributes = {};
  for (const attribute of attributes) {
    const one = value[attribute.name];
    if (attribute.filterable && one !== undefined) folded[attribute.name] = foldValue(attribute, one);
  }
  return folded;
}

function toDocument({ schema, extensions }: Definition, resource: Attributes): SearchDocument {
  const present = extensions.filter(({ id }) => isObject(resource[id]));
  return {
    ...foldAttributes([...commonAttributes, ...schema.attributes], resource),
    schemas: [schema.id, ...present.map(({ id }) => id)],
    ...Object.fromEntries(
      present.map(({ id, attributes }) => [id, foldAttributes(attributes, resource[id] as Attributes)]),
    ),
  };
}

/** The value of `scim_users.search`. Write it in the statement that writes `resource`. `active` must be known. */
export const toUserDocument = (resource: UserResource & { active: boolean }): SearchDocument =>
  toDocument(userDefinition, resource as unknown as Attributes);

/** The value of `scim_groups.search`. */
export const toGroupDocument = (resource: GroupResource): SearchDocument =>
  toDocument(groupDefinition, resource as unknown as Attributes);
