/**
 * The limits of queries and responses between peers. A query goes to one peer or is propagated to a group. Discovery, pipe
 * resolution and route discovery use the resolver. It is named after JXTA's Peer Resolver Protocol; {@code docs/wire-format.md}
 * specifies its messages.
 */
@NullMarked
package io.parley.resolver;

import org.jspecify.annotations.NullMarked;
