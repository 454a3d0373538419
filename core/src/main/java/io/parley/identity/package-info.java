/**
 * A peer's key pair, where it lives on disk, and how a connection proves it. Start with
 * {@link io.parley.identity.Identity}, which also keeps itself in a peer's home directory.
 * {@link io.parley.identity.internal.PeerTrustManager} checks the other side of a TLS connection.
 *
 * <p>A peer presents two certificates. The identity certificate is made from the Ed25519 key alone: the same key always
 * gives the same bytes, so it is never stored. The transport certificate is short-lived, has a P-256 key because not
 * every TLS engine can use an Ed25519 one, and is signed by the identity:
 *
 * <pre>
 *   chain[0]  transport certificate   P-256      hours to days   signed by chain[1], names purpose and peer
 *   chain[1]  identity certificate    Ed25519    no end          signed by itself; its key is the peer id
 * </pre>
 *
 * <p>BouncyCastle builds the certificates, and signs and verifies data several times as fast as the JDK would; it is not
 * registered as a provider. The JDK verifies certificates.
 *
 * <p>Threads: every type here is immutable and may be shared freely.
 */
@NullMarked
package io.parley.identity;

import org.jspecify.annotations.NullMarked;
