/**
 * Advertisements of peers, groups, pipes, routes, rendezvous and services: JXTA's XML documents, in an envelope that their
 * publisher has signed.
 *
 * <pre>
 *   Advertisement        the content: records such as {@link io.parley.advertisement.PipeAdvertisement}
 *        |   AdvertisementCodec: reads and writes XML, within {@link io.parley.advertisement.AdvertisementLimits};
 *        |   AdvertisementTypeRegistry: maps document names to record types, including user-defined types
 *   document             XML in UTF-8
 *        |   AdvertisementSigner, AdvertisementVerifier
 *   SignedAdvertisement  document, publisher, group, times, signature: the unit of exchange and storage
 * </pre>
 *
 * <p>{@link io.parley.discovery.Discovery} publishes and finds advertisements. To add a type, implement
 * {@link io.parley.advertisement.AdvertisementType}. {@code docs/wire-format.md} specifies the formats.
 *
 * <p>Threads: every type in this package is immutable or thread-safe, and no method blocks. Signing and verifying take a few
 * hundred microseconds of the calling thread, so event loops should not sign or verify many advertisements.
 */
@NullMarked
package io.parley.advertisement;

import org.jspecify.annotations.NullMarked;
