import type { Attribute, Definition, Schema } from "./attribute.ts";
import { groupDefinition } from "./group.ts";
import { userDefinition } from "./user.ts";

const definitions: readonly Definition[] = [userDefinition, groupDefinition];

function describeAttribute(attribute: Attribute): Record<string, unknown> {
  const { name, type, multiValued, description, required, mutability, returned, uniqueness } = attribute;
  const { caseExact, canonicalValues, referenceTypes, subAttributes } = attribute;
  return {
    name,
    type,
    multiValued,
    description,
    required,
    ...(type === "string" || type === "reference" ? { caseExact } : {}),
    mutability,
    returned,
    ...(type === "complex" || type === "boolean" ? {} : { uniqueness }),
    ...(canonicalValues ? { canonicalValues } : {}),
    ...(referenceTypes ? { referenceTypes } : {}),
    ...(subAttributes ? { subAttributes: subAttributes.map(describeAttribute) } : {}),
  };
}

const describeSchema = ({ id, name, description, attributes }: Schema, baseUrl: string) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
  id,
  name,
  description,
  attributes: attributes.map(describeAttribute),
  meta: { resourceType: "Schema", location: `${baseUrl}/Schemas/${id}` },
});

/** The resources of `/Schemas`. `baseUrl` ends with `/scim/v2`. */
export const describeSchemas = (baseUrl: string) =>
  definitions.flatMap(({ schema, extensions }) =>
    [schema, ...extensions].map((one) => describeSchema(one, baseUrl)),
  );

/** The resources of `/ResourceTypes`. */
export const describeResourceTypes = (baseUrl: string) =>
  definitions.map(({ name, endpoint, description, schema, extensions }) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
    id: name,
    name,
    endpoint,
    description,
    schema: schema.id,
    schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
    meta: { resourceType: "ResourceType", location: `${baseUrl}/ResourceTypes/${name}` },
  }));
