import { usePermission } from "../../lib/context.tsx";
import { OrganizationMails } from "./organization-mails.tsx";
import { OwnMails } from "./own-mails.tsx";

export function Mails() {
  const mayRead = usePermission("organization:read");
  return (
    <div className="parts">
      <OwnMails />
      {mayRead && <OrganizationMails />}
    </div>
  );
}
