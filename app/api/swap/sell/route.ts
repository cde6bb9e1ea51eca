import { buildSaleContract } from "@/lib/contracts/build-sale";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { buildSale } from "@/lib/services/build-sale";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(bindRoute(buildSale, buildSaleContract));
