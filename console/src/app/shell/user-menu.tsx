import { Link } from "@tanstack/react-router";
import { BookOpen, Keyboard, LogOut, Moon, Shield, Sun, SunMoon, UserRound } from "lucide-react";
import { useShortcuts } from "../../lib/keyboard.tsx";
import { useMe } from "../../lib/session.ts";
import { useSignOut } from "../../lib/sign-out.ts";
import { chooseTheme, type Theme, useTheme } from "../../lib/theme.ts";
import { shell } from "../../texts/shell.ts";
import { MenuItem, MenuLabel, MenuLine } from "../../ui/menu.tsx";

const themes = [
  { value: "system", icon: SunMoon },
  { value: "light", icon: Sun },
  { value: "dark", icon: Moon },
] as const satisfies readonly { value: Theme; icon: unknown }[];

export function UserMenuItems() {
  const me = useMe();
  const { openHelp } = useShortcuts();
  const theme = useTheme();
  const signOut = useSignOut();
  return (
    <>
      <MenuItem icon={UserRound} render={<Link to="/me" />}>
        {shell.user.profile}
      </MenuItem>
      {me.data?.isInstanceAdmin && (
        <MenuItem icon={Shield} render={<Link to="/admin" />}>
          {shell.user.admin}
        </MenuItem>
      )}
      <MenuItem icon={Keyboard} onSelect={openHelp}>
        {shell.user.shortcuts}
      </MenuItem>
      <MenuItem icon={BookOpen} render={<a href="/docs">{shell.user.docs}</a>}>
        {shell.user.docs}
      </MenuItem>
      <MenuLine />
      <MenuLabel>{shell.user.theme.label}</MenuLabel>
      {themes.map(({ value, icon }) => (
        <MenuItem key={value} icon={icon} onSelect={() => chooseTheme(value)}>
          <span className="grow">{shell.user.theme[value]}</span>
          {theme === value && <span aria-hidden>✓</span>}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem icon={LogOut} onSelect={signOut}>
        {shell.user.signOut}
      </MenuItem>
    </>
  );
}
