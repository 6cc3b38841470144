import { complex, type Definition, flag, reference, type Schema, text, valueList } from "./attribute.ts";

export const enterpriseUrn = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

const schema: Schema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:User",
  name: "User",
  description: "A person who may be a member of the organization.",
  attributes: [
    text("userName", "The name that identifies the user in the directory, often an e-mail address.", {
      required: true,
      uniqueness: "server",
      maxLength: 512,
    }),
    complex("name", "The parts of the user's name.", [
      text("formatted", "The whole name, ready for display."),
      text("familyName", "The family name."),
      text("givenName", "The given name."),
      text("middleName", "The middle names."),
      text("honorificPrefix", "The title before the name, such as Dr."),
      text("honorificSuffix", "The suffix after the name, such as III."),
    ]),
    text("displayName", "The name that people see."),
    text("nickName", "The casual name."),
    reference("profileUrl", "The address of the user's profile.", ["external"], { maxLength: 2_000 }),
    text("title", "The job title."),
    text("userType", "The relation to the organization, such as Employee or Contractor."),
    text("preferredLanguage", "The preferred language, such as en-US."),
    text("locale", "The locale for dates and numbers, such as en-US."),
    text("timezone", "The time zone, such as Europe/Berlin."),
    flag("active", "Whether the user may sign in. False ends all sessions and credentials at once.", {
      clearable: false,
    }),
    valueList("emails", "The e-mail addresses.", ["work", "home", "other"]),
    valueList("phoneNumbers", "The phone numbers.", ["work", "home", "mobile", "fax", "pager", "other"]),
    complex(
      "addresses",
      "The postal addresses.",
      [
        text("formatted", "The whole address, ready for display."),
        text("streetAddress", "The street and the house number."),
        text("locality", "The city."),
        text("region", "The state or region."),
        text("postalCode", "The postal code."),
        text("country", "The country, as an ISO 3166-1 code of two letters."),
        text("type", "What the address is used for.", { canonicalValues: ["work", "home", "other"] }),
        flag("primary", "Whether this is the preferred address. At most one address can be preferred."),
      ],
      { multiValued: true },
    ),
    valueList("roles", "The roles in the directory.", []),
    complex(
      "groups",
      "The groups that the user belongs to. Change them through the Groups resource.",
      [
        text("value", "The id of the group.", { mutability: "readOnly", caseExact: true }),
        reference("$ref", "The address of the group.", ["Group"], { mutability: "readOnly" }),
        text("display", "The name of the group.", { mutability: "readOnly" }),
        text("type", "Always direct: groups contain no groups.", {
          mutability: "readOnly",
          canonicalValues: ["direct"],
          filterable: false,
        }),
      ],
      { multiValued: true, mutability: "readOnly" },
    ),
  ],
};

const enterprise: Schema = {
  id: enterpriseUrn,
  name: "EnterpriseUser",
  description: "Attributes of employees.",
  attributes: [
    text("employeeNumber", "The number that the employer gave the person."),
    text("costCenter", "The cost center."),
    text("organization", "The name of the organization."),
    text("division", "The division."),
    text("department", "The department."),
    complex("manager", "The user's manager.", [
      text("value", "The id of the manager, as the directory sent it.", { caseExact: true }),
      reference("$ref", "The address of the manager.", ["User"], { maxLength: 2_000 }),
      text("displayName", "The name of the manager."),
    ]),
  ],
};

export const userDefinition: Definition = {
  name: "User",
  endpoint: "/Users",
  description: "Users of the directory.",
  schema,
  extensions: [enterprise],
};
