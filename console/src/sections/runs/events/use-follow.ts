import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

interface FollowOptions {
  list: RefObject<HTMLElement | null>;
  isLive: boolean;
  /** The height of the list. Its growth is followed. */
  height: number;
  total: number;
}

/** Space below the last row: the pill, and the bar at the bottom of a phone. */
const spaceBelow = 112;

const upKeys = new Set(["ArrowUp", "PageUp", "Home"]);

/** Where the page is scrolled to when the last row is in view. */
const findEnd = (list: HTMLElement): number =>
  Math.max(0, list.getBoundingClientRect().bottom + window.scrollY - window.innerHeight + spaceBelow);

/** Keeps the newest event in view. Scrolling up lets go; scrolling to the end follows again. */
export function useFollow({ list, isLive, height, total }: FollowOptions) {
  const [isFollowing, setIsFollowing] = useState(true);
  const [seen, setSeen] = useState(0);
  const wasLive = useRef(false);
  const follows = isFollowing && isLive;

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the list has grown.
  useLayoutEffect(() => {
    if (isLive) wasLive.current = true;
    // The last events and the end of a run belong to what was followed.
    if (!isFollowing || !wasLive.current || !list.current) return;
    const end = findEnd(list.current);
    if (end > window.scrollY) window.scrollTo({ top: end, behavior: "instant" });
  }, [height, total, isFollowing, isLive]);

  useEffect(() => {
    if (!isLive) return;
    // Only a person lets go. The page itself also scrolls: when it restores a position or rows get their real height.
    const letGo = () => {
      if (window.scrollY > 0) setIsFollowing(false);
    };
    const stop = new AbortController();
    const options = { passive: true, signal: stop.signal };
    let touched = 0;
    let isDragging = false;
    let before = window.scrollY;
    const onScroll = () => {
      const now = window.scrollY;
      if (isDragging && now < before) letGo();
      else if (now > before && list.current && findEnd(list.current) - now <= 4) setIsFollowing(true);
      before = now;
    };
    window.addEventListener("wheel", ({ deltaY }) => deltaY < 0 && letGo(), options);
    window.addEventListener("touchstart", ({ touches }) => (touched = touches[0]!.clientY), options);
    window.addEventListener(
      "touchmove",
      ({ touches }) => touches[0]!.clientY > touched + 4 && letGo(),
      options,
    );
    window.addEventListener("keydown", ({ key }) => upKeys.has(key) && letGo(), options);
    // Pressing the scroll bar has the whole document as its target.
    window.addEventListener(
      "pointerdown",
      ({ target }) => (isDragging = target === document.documentElement),
      options,
    );
    window.addEventListener("pointerup", () => (isDragging = false), options);
    window.addEventListener("scroll", onScroll, options);
    return () => stop.abort();
  }, [isLive, list]);

  useEffect(() => {
    if (follows) setSeen(total);
  }, [follows, total]);

  const toggle = useCallback(() => setIsFollowing((before) => !before), []);
  return { isFollowing: follows, toggle, unseen: Math.max(0, total - seen) };
}
