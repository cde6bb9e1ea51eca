import type { MetadataRoute } from "next";

/** The API serves programs, and the dashboard is personal. */
export default function robots(): MetadataRoute.Robots {
  return { rules: { userAgent: "*", allow: ["/", "/api/openapi.json"], disallow: ["/api/", "/dashboard"] } };
}
