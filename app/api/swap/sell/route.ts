import { buildSaleContract } from "@/lib/contracts/build-sale";
import { route, routes } from "@/lib/http/route";
import { buildSale } from "@/lib/services/build-sale";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(buildSale, buildSaleContract));
