import type { MetadataRoute } from "next";

/** Search engines should index neither the API, which serves programs, nor the dashboard, which is personal. */
export default function robots(): MetadataRoute.Robots {
  return { rules: { userAgent: "*", allow: ["/", "/api/openapi.json"], disallow: ["/api/", "/dashboard"] } };
}
