import { Dialog } from "@base-ui/react/dialog";
import { Link } from "@tanstack/react-router";
import { LogOut } from "lucide-react";
import { usePath } from "../../lib/paths.ts";
import { useSignOut } from "../../lib/sign-out.ts";
import { shell } from "../../texts/shell.ts";
import type { NavGroup } from "../navigation.ts";

interface Props {
  groups: readonly NavGroup[];
  /** The name of the person. */
  name: string;
  onClose(): void;
}

/** All places, on a phone. */
export default function PhoneMenu({ groups, name, onClose }: Props) {
  const path = usePath();
  const signOut = useSignOut();
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="phone-menu">
          <Dialog.Title className="vh">{shell.nav.more}</Dialog.Title>
          {groups.map((group) => (
            <section key={group.title ?? ""} aria-label={group.title}>
              {group.title && <h2>{group.title}</h2>}
              {group.items.map(({ path: at, label, icon: Icon }) => (
                <Link key={at} to={path(at)} className="nav" onClick={onClose}>
                  <Icon className="i" aria-hidden />
                  <span>{label}</span>
                </Link>
              ))}
            </section>
          ))}
          <Link to="/me" className="nav" onClick={onClose}>
            <span>{name}</span>
          </Link>
          <button type="button" className="nav" onClick={() => void signOut()}>
            <LogOut className="i" aria-hidden />
            <span>{shell.user.signOut}</span>
          </button>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
