/** Parley as an application would use it: the endpoint and the unicast pipe, in plain text and with TLS. */
@NullMarked
package io.parley.bench.parley;

import org.jspecify.annotations.NullMarked;
