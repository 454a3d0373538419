/**
 * The key pair of a peer, its storage, and its authentication in TLS. Start with {@link io.parley.identity.Identity},
 * which also loads and creates the identity file in a peer's home directory. {@code PeerTrustManager} in the internal
 * package verifies the remote peer of a TLS connection.
 *
 * <p>A peer presents two certificates. The identity certificate is a function of the Ed25519 key, so it is never stored.
 * The transport certificate is short-lived and signed by the identity key. Its own key is a P-256 key because some TLS
 * engines do not support Ed25519 keys:
 *
 * <pre>
 *   chain[0]  transport certificate   P-256      hours to days   signed by chain[1], contains purpose and peer id
 *   chain[1]  identity certificate    Ed25519    no expiration   self-signed; its key is the peer id
 * </pre>
 *
 * <p>BouncyCastle builds the certificates, and signs and verifies data several times faster than the JDK; it is not
 * registered as a security provider. The JDK verifies certificates.
 *
 * <p>All types are immutable and thread-safe.
 */
@NullMarked
package io.parley.identity;

import org.jspecify.annotations.NullMarked;
