/**
 * Questions and answers between peers: one answer from one peer, or answers from whoever has one. Discovery, the binding of
 * pipes and the look-up of routes stand on it. Read {@link io.parley.resolver.internal.Resolver} first. Named after JXTA's Peer
 * Resolver Protocol; {@code docs/wire-format.md} has the messages.
 */
@NullMarked
package io.parley.resolver;

import org.jspecify.annotations.NullMarked;
