import { z } from "zod";
import { machine } from "../../../platform/http/index.ts";
import { ScimError } from "../errors.ts";
import { scim } from "../protocol.ts";

/** What all routes of the protocol have in common. */
export const base = {
  tag: "SCIM",
  protocol: scim,
  access: machine({ credentials: ["scim"] }),
  /** Parameters that we do not know are ignored: administrators can add flags to the address of a directory. */
  query: z.looseObject({}),
} as const;

/** A group with 20,000 members fits, and a user with all attributes that directories send, many times. */
export const bodyLimits = { Users: 256 * 1024, Groups: 4 * 1024 * 1024 };
/** A filter has at most 4,000 characters. */
export const searchLimit = 64 * 1024;

export const describeError = (description: string) => ({ description, schema: ScimError });

const text = (description: string, example: string) =>
  z
    .string()
    .optional()
    .describe(description)
    .meta({ examples: [example] });

/** Names attributes of the reply (RFC 7644, 3.9). */
export const projectionQuery = z.looseObject({
  attributes: text("The attributes to return, separated by commas.", "userName,emails"),
  excludedAttributes: text("The attributes to omit, separated by commas.", "members"),
});

export const listQuery = z.looseObject({
  ...projectionQuery.shape,
  filter: text("Selects resources, as in RFC 7644, 3.4.2.2.", 'userName eq "ada@example.com"'),
  sortBy: text("The attribute that decides the order.", "userName"),
  sortOrder: text("`ascending` or `descending`.", "ascending"),
  startIndex: text("The number of the first result, from 1.", "1"),
  count: text("The maximum number of resources in the reply.", "100"),
  cursor: text("`nextCursor` of the page before (RFC 9865). Empty for the first page.", ""),
});
export type ListQuery = z.output<typeof listQuery>;

/** The body of `POST …/.search` (RFC 7644, 3.4.3). */
export const SearchBody = z
  .looseObject({
    schemas: z
      .array(z.string())
      .optional()
      .describe("The schema of the message.")
      .meta({ examples: [["urn:ietf:params:scim:api:messages:2.0:SearchRequest"]] }),
    attributes: z
      .array(z.string())
      .optional()
      .describe("The attributes to return.")
      .meta({ examples: [["userName"]] }),
    excludedAttributes: z
      .array(z.string())
      .optional()
      .describe("The attributes to omit.")
      .meta({ examples: [["members"]] }),
    filter: listQuery.shape.filter,
    sortBy: listQuery.shape.sortBy,
    sortOrder: listQuery.shape.sortOrder,
    startIndex: z
      .int()
      .optional()
      .describe("The number of the first result, from 1.")
      .meta({ examples: [1] }),
    count: z
      .int()
      .optional()
      .describe("The maximum number of resources in the reply.")
      .meta({ examples: [100] }),
    cursor: listQuery.shape.cursor,
  })
  .meta({ id: "ScimSearchRequest" });
export type SearchBody = z.output<typeof SearchBody>;

const meta = z
  .looseObject({})
  .describe("Facts about the resource: kind, times, address and version.")
  .meta({
    examples: [
      {
        resourceType: "User",
        created: "2026-01-31T08:00:00.000Z",
        lastModified: "2026-01-31T08:00:00.000Z",
        location: "https://signalbox.example.com/scim/v2/Users/scu_01jz8q2d9xf4vvh0tbq8k3m5na",
        version: 'W/"1"',
      },
    ],
  });

/** A resource of any kind. `/Schemas` says which attributes each kind has. */
export const Resource = z
  .looseObject({
    schemas: z
      .array(z.string())
      .describe("The schemas of the resource.")
      .meta({ examples: [["urn:ietf:params:scim:schemas:core:2.0:User"]] }),
    id: z
      .string()
      .optional()
      .describe("The id of the resource.")
      .meta({ examples: ["scu_01jz8q2d9xf4vvh0tbq8k3m5na"] }),
    meta: meta.optional(),
  })
  .meta({ id: "ScimResource" });
export type Resource = z.output<typeof Resource>;

/** What a directory sends. `/Schemas` says what is kept; the rest is ignored. */
export const ResourceBody = z
  .looseObject({
    schemas: z
      .array(z.string())
      .optional()
      .describe("The schemas of the resource.")
      .meta({ examples: [["urn:ietf:params:scim:schemas:core:2.0:User"]] }),
  })
  .meta({ id: "ScimResourceBody" });

/** The operations of a PATCH (RFC 7644, 3.5.2). Directories write the names in any case. */
export const PatchBody = z
  .looseObject({
    schemas: z
      .array(z.string())
      .optional()
      .describe("The schema of the message.")
      .meta({ examples: [["urn:ietf:params:scim:api:messages:2.0:PatchOp"]] }),
    Operations: z
      .array(z.unknown())
      .optional()
      .describe("The changes, in their order.")
      .meta({ examples: [[{ op: "replace", path: "active", value: false }]] }),
  })
  .meta({ id: "ScimPatchBody" });

export const ListResponse = z
  .strictObject({
    schemas: z
      .array(z.string())
      .describe("The schema of the message.")
      .meta({ examples: [["urn:ietf:params:scim:api:messages:2.0:ListResponse"]] }),
    totalResults: z
      .int()
      .describe("How many resources match, on all pages.")
      .meta({ examples: [1] }),
    startIndex: z
      .int()
      .optional()
      .describe("The number of the first result.")
      .meta({ examples: [1] }),
    itemsPerPage: z
      .int()
      .describe("How many resources this reply has.")
      .meta({ examples: [1] }),
    nextCursor: z
      .string()
      .optional()
      .describe("Where the next page begins. Absent on the last page.")
      .meta({ examples: ["c2N1XzE"] }),
    Resources: z
      .array(Resource)
      .describe("The resources.")
      .meta({ examples: [[]] }),
  })
  .meta({ id: "ScimListResponse" });
export type ListResponse = z.output<typeof ListResponse>;

const etag = { description: "The version of the resource.", example: 'W/"1"' };
export const replyHeaders = { etag };
export const createdHeaders = {
  etag,
  location: {
    description: "The address of the resource.",
    example: "https://signalbox.example.com/scim/v2/Users/scu_01jz8q2d9xf4vvh0tbq8k3m5na",
  },
};
export const ifMatch = {
  "if-match": { description: "Changes the resource only if it has this version.", example: 'W/"1"' },
};
export const ifNoneMatch = {
  "if-none-match": { description: "Sends the resource only if it has another version.", example: 'W/"1"' },
};
