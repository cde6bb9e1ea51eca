import Link from "next/link";
import type { ComponentProps } from "react";

/** Opens a page without reloading the site. Only a click loads its code. */
export const SoftLink = (props: ComponentProps<typeof Link>) => <Link prefetch={false} {...props} />;
