/**
 * An attribute as in RFC 7643, section 7, and the limits that we add. `/Schemas`, reading, writing, filters and PATCH all
 * follow from it.
 */
export interface Attribute {
  name: string;
  type: "string" | "boolean" | "reference" | "dateTime" | "complex";
  multiValued: boolean;
  description: string;
  required: boolean;
  caseExact: boolean;
  mutability: "readWrite" | "readOnly" | "immutable";
  returned: "always" | "default";
  uniqueness: "none" | "server";
  canonicalValues?: readonly string[];
  referenceTypes?: readonly string[];
  subAttributes?: readonly Attribute[];
  /** Longest text, in UTF-16 units. */
  maxLength: number;
  /** Most values of a multi-valued attribute. */
  maxValues: number;
  /** Whether a filter or `sortBy` may name it. */
  filterable: boolean;
  /** Whether the value can be removed. If not, null is refused. */
  clearable: boolean;
}

export interface Schema {
  id: string;
  name: string;
  description: string;
  attributes: readonly Attribute[];
}

/** Everything about one kind of resource. */
export interface Definition {
  name: "User" | "Group";
  endpoint: "/Users" | "/Groups";
  description: string;
  schema: Schema;
  extensions: readonly Schema[];
}

type More = Partial<Omit<Attribute, "name" | "type" | "description" | "subAttributes">>;

const defaults = {
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  maxLength: 1_000,
  maxValues: 50,
  filterable: true,
  clearable: true,
} as const;

export const text = (name: string, description: string, more: More = {}): Attribute => ({
  ...defaults,
  name,
  type: "string",
  description,
  ...more,
});

export const flag = (name: string, description: string, more: More = {}): Attribute => ({
  ...text(name, description, more),
  type: "boolean",
});

const time = (name: string, description: string, more: More = {}): Attribute => ({
  ...text(name, description, more),
  type: "dateTime",
});

export const reference = (
  name: string,
  description: string,
  referenceTypes: readonly string[],
  more: More = {},
): Attribute => ({
  ...text(name, description, { caseExact: true, filterable: false, ...more }),
  type: "reference",
  referenceTypes,
});

export const complex = (
  name: string,
  description: string,
  subAttributes: readonly Attribute[],
  more: More = {},
): Attribute => ({ ...text(name, description, more), type: "complex", subAttributes });

/** A multi-valued attribute with the usual sub-attributes (RFC 7643, 2.4). */
export const valueList = (name: string, description: string, types: readonly string[]): Attribute =>
  complex(
    name,
    description,
    [
      text("value", "The value itself."),
      text("display", "A name of the value that people can read."),
      text("type", "What the value is used for.", types.length > 0 ? { canonicalValues: types } : {}),
      flag("primary", "Whether this is the preferred value. At most one value can be preferred."),
    ],
    { multiValued: true },
  );

const readOnly = { mutability: "readOnly", caseExact: true } as const;

/** Attributes that every resource has. They are not part of a schema (RFC 7643, 3.1). */
export const commonAttributes: readonly Attribute[] = [
  reference("schemas", "The schemas of this resource.", ["uri"], {
    ...readOnly,
    multiValued: true,
    returned: "always",
  }),
  text("id", "The id of the resource at this service.", {
    ...readOnly,
    returned: "always",
    uniqueness: "server",
  }),
  text("externalId", "The id of the resource in the directory.", { caseExact: true, maxLength: 512 }),
  complex(
    "meta",
    "Facts about the resource.",
    [
      text("resourceType", "The kind of resource.", { ...readOnly, filterable: false }),
      time("created", "When the resource was created.", readOnly),
      time("lastModified", "When the resource was last changed.", readOnly),
      reference("location", "The address of the resource.", ["uri"], readOnly),
      text("version", "The entity tag of the resource.", { ...readOnly, filterable: false }),
    ],
    readOnly,
  ),
];
