import type { enterpriseUrn } from "../definitions/index.ts";

interface Value {
  value?: string;
  display?: string;
  type?: string;
  primary?: boolean;
}

/** The stored attributes of a user, named as in the schema. Attributes without a value are absent. */
export interface UserResource {
  userName: string;
  externalId?: string;
  name?: {
    formatted?: string;
    familyName?: string;
    givenName?: string;
    middleName?: string;
    honorificPrefix?: string;
    honorificSuffix?: string;
  };
  displayName?: string;
  nickName?: string;
  profileUrl?: string;
  title?: string;
  userType?: string;
  preferredLanguage?: string;
  locale?: string;
  timezone?: string;
  /** Absent if the directory did not send it. Then it does not change, and is true for a new user. */
  active?: boolean;
  emails?: Value[];
  phoneNumbers?: Value[];
  addresses?: {
    formatted?: string;
    streetAddress?: string;
    locality?: string;
    region?: string;
    postalCode?: string;
    country?: string;
    type?: string;
    primary?: boolean;
  }[];
  roles?: Value[];
  [enterpriseUrn]?: {
    employeeNumber?: string;
    costCenter?: string;
    organization?: string;
    division?: string;
    department?: string;
    manager?: { value?: string; $ref?: string; displayName?: string };
  };
}

/** The stored attributes of a group, without its members. */
export interface GroupResource {
  displayName: string;
  externalId?: string;
}

/** A resource of any kind, as the generic functions see it. */
export type Attributes = Record<string, unknown>;
