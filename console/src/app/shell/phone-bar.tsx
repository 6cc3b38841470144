import { Link } from "@tanstack/react-router";
import { Menu as MenuIcon } from "lucide-react";
import { Suspense, useState } from "react";
import { useOrganization } from "../../lib/context.tsx";
import { lazyPart } from "../../lib/lazy-part.ts";
import { usePath } from "../../lib/paths.ts";
import { shell } from "../../texts/shell.ts";
import { Lamp } from "../../ui/state.tsx";
import { listItems, phonePaths } from "../navigation.ts";
import { useNavSignals } from "./signals.ts";

const PhoneMenu = lazyPart(() => import("./phone-menu.tsx"));

/** The bar at the bottom of a phone: four places, and all others behind "More". */
export function PhoneBar() {
  const { permissions, me } = useOrganization();
  const path = usePath();
  const signals = useNavSignals();
  const [isOpen, setIsOpen] = useState(false);
  const groups = listItems(permissions);
  const items = groups.flatMap((group) => group.items).filter((item) => phonePaths.includes(item.path));
  return (
    <>
      <nav className="tabbar" aria-label={shell.main}>
        {items.map(({ path: at, label, short, icon: Icon }) => (
          <Link
            key={at}
            to={path(at)}
            activeOptions={{ exact: at === "", includeSearch: false }}
            activeProps={{ "aria-current": "page" }}
          >
            <Icon className="i" aria-hidden />
            {short ?? label}
            {signals[at] && <Lamp tone={signals[at].tone} />}
          </Link>
        ))}
        <button type="button" onClick={() => setIsOpen(true)}>
          <MenuIcon className="i" aria-hidden />
          {shell.nav.more}
        </button>
      </nav>
      {isOpen && (
        <Suspense>
          <PhoneMenu groups={groups} name={me.user.name} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
