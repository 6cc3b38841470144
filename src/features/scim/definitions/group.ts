import { complex, type Definition, reference, text } from "./attribute.ts";

/** Most members that one request may name. */
export const maxMembersPerRequest = 20_000;

export const groupDefinition: Definition = {
  name: "Group",
  endpoint: "/Groups",
  description: "Groups of users.",
  schema: {
    id: "urn:ietf:params:scim:schemas:core:2.0:Group",
    name: "Group",
    description: "A group of users, which a mapping can turn into a team or a role.",
    attributes: [
      text("displayName", "The name of the group.", { required: true, uniqueness: "server", maxLength: 512 }),
      complex(
        "members",
        "The users in the group. A group contains no groups.",
        [
          text("value", "The id of the user.", { mutability: "immutable", caseExact: true, required: true }),
          reference("$ref", "The address of the user.", ["User"], {
            mutability: "immutable",
            maxLength: 2_000,
          }),
          text("type", "The kind of member.", {
            mutability: "immutable",
            canonicalValues: ["User"],
            filterable: false,
          }),
          text("display", "The name of the user.", { mutability: "readOnly", filterable: false }),
        ],
        { multiValued: true, maxValues: maxMembersPerRequest },
      ),
    ],
  },
  extensions: [],
};
