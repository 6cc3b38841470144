import type { Me } from "@signalbox/client";
import { createContext, type ReactNode, useContext } from "react";
import type { Api } from "./api.ts";
import type { Identity } from "./identity.ts";

export interface Services {
  api: Api;
  identity: Identity;
}

const ServicesContext = createContext<Services | undefined>(undefined);

export const ServicesProvider = ({ value, children }: { value: Services; children: ReactNode }) => (
  <ServicesContext value={value}>{children}</ServicesContext>
);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error("This part of the page is outside ServicesProvider.");
  return services;
}

/** The organization whose pages are open, and what the person may do in it. */
export interface OrganizationScope {
  id: string;
  name: string;
  slug: string;
  role: string;
  memberId: string;
  /** Whether `signalbox demo` made it up. */
  isDemo: boolean;
  permissions: ReadonlySet<string>;
  me: Me;
}

const OrganizationContext = createContext<OrganizationScope | undefined>(undefined);

export const OrganizationProvider = ({
  value,
  children,
}: {
  value: OrganizationScope;
  children: ReactNode;
}) => <OrganizationContext value={value}>{children}</OrganizationContext>;

export function useOrganization(): OrganizationScope {
  const organization = useContext(OrganizationContext);
  if (!organization) throw new Error("This page is outside an organization.");
  return organization;
}

/** Undefined on pages outside an organization, such as the profile. */
export const useOptionalOrganization = (): OrganizationScope | undefined => useContext(OrganizationContext);

/** Whether the person has a permission in the open organization. The server decides again on each request. */
export const usePermission = (permission: string): boolean => useOrganization().permissions.has(permission);
