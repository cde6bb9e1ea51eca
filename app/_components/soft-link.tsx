import Link from "next/link";
import type { ComponentProps } from "react";

/** Links to a page that the router opens without reloading the site. Only a click loads the page's code. */
export const SoftLink = (props: ComponentProps<typeof Link>) => <Link prefetch={false} {...props} />;
