import { useFilters } from "../../lib/paths.ts";
import { admin } from "../../texts/admin.ts";
import { Segments } from "../../ui/tabs.tsx";

const texts = admin.days;
type Days = (typeof texts.options)[number]["value"];

/** The number of days that figures cover. It is in the address. */
export function useDays(): number {
  const { filters } = useFilters();
  const found = texts.options.find(({ value }) => value === filters.days);
  return Number(found?.value ?? "30");
}

export function Period() {
  const days = useDays();
  const { setFilters } = useFilters();
  return (
    <Segments
      label={texts.label}
      value={String(days) as Days}
      onChange={(value) => setFilters({ days: value === "30" ? undefined : value })}
      options={texts.options}
    />
  );
}
