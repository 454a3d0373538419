/**
 * The implementation of the endpoint. A {@link io.parley.endpoint.internal.PeerEndpoint} keeps one {@code Association} per
 * remote peer. An association dials, decides which of two crossing connections survives, and has at most one active link,
 * which sends the messages of messengers and delivers received ones to services. Not API: only the peer uses these packages.
 *
 * <p>Dependencies point downwards: this package; {@code link}; {@code tunnel}, {@code messenger} and {@code inbound}, of which none
 * uses another one; {@code context}; {@code memory}; beside them {@code frame}, the format of frames. The interfaces
 * {@code Association.Host}, {@code Link.Owner}, {@code MessengerBinding.Carrier} and others named {@code Owner} or
 * {@code Carrier} are the calls in the other direction.
 *
 * <p>Threads: a link and its channels are confined to the event loop of their connection. A dialer is confined to the
 * executor of the endpoint. Associations and messengers are thread-safe and have one lock each, which the parts of a
 * messenger share. No thread acquires a lock while it holds the lock of another object, except that an association, holding
 * its lock, reads fields of its link, which has no lock.
 */
@NullMarked
package io.parley.endpoint.internal;

import org.jspecify.annotations.NullMarked;
