/**
 * What peers tell each other about themselves: advertisements of peers, groups, pipes, routes, rendezvous and services, as
 * the XML documents that JXTA has for them, in an envelope that their publisher has signed.
 *
 * <pre>
 *   Advertisement        what is advertised: records such as {@link io.parley.advertisement.PipeAdvertisement}
 *        |   AdvertisementCodec: reads and writes XML, within {@link io.parley.advertisement.AdvertisementLimits};
 *        |   AdvertisementTypeRegistry: which record belongs to which document, yours among them
 *   document             XML in UTF-8
 *        |   AdvertisementSigner, AdvertisementVerifier
 *   SignedAdvertisement  document, publisher, group, times, signature: what travels and is stored
 * </pre>
 *
 * <p>Start with {@link io.parley.advertisement.internal.AdvertisementSigner} to publish, with
 * {@link io.parley.advertisement.internal.AdvertisementVerifier} to receive, and with
 * {@link io.parley.advertisement.AdvertisementType} to add a type of your own. The forms are in
 * {@code docs/wire-format.md}.
 *
 * <p>Threads: every type here is immutable or safe to be shared, and nothing blocks. Signing and verifying take some
 * hundred microseconds of the calling thread, which should not be an event loop's when there are many.
 */
@NullMarked
package io.parley.advertisement;

import org.jspecify.annotations.NullMarked;
