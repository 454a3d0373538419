/** gRPC's unary calls, to compare with requests and responses over pipes. */
@NullMarked
package io.parley.bench.grpc;

import org.jspecify.annotations.NullMarked;
