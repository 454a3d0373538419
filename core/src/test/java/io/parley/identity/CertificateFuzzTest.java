package io.parley.identity;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.internal.PeerCertificateVerifier;
import io.parley.testkit.HostileText;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.Tag;

/**
 * Verifies chains of a fuzzer: the length of the transport certificate in two bytes, then both certificates. To run the
 * fuzzer:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl core -am test -Dtest=CertificateFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class CertificateFuzzTest {

    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-21T12:00:00Z"), ZoneOffset.UTC);

    /** A certificate in the form in which a TLS engine returns it: bytes that are not parsed yet. */
    private static final class EncodedCertificate extends Certificate {
        private static final long serialVersionUID = 1L;

        private final byte[] encoded;

        EncodedCertificate(byte[] encoded) {
            super("X.509");
            this.encoded = encoded;
        }

        @Override
        public byte[] getEncoded() {
            return encoded;
        }

        @Override
        public void verify(PublicKey key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void verify(PublicKey key, String provider) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String toString() {
            return encoded.length + " bytes";
        }

        @Override
        public PublicKey getPublicKey() {
            throw new UnsupportedOperationException();
        }
    }

    private static SSLSession session(Certificate... chain) {
        return (SSLSession) Proxy.newProxyInstance(
                SSLSession.class.getClassLoader(), new Class<?>[] {SSLSession.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getPeerCertificates")) {
                        return chain;
                    }
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    @FuzzTest(maxDuration = "60s")
    void verify(byte[] input) {
        if (input.length < 2) {
            return;
        }
        ByteBuffer in = ByteBuffer.wrap(input);
        byte[] leaf = new byte[Math.min(in.getShort() & 0xFFFF, in.remaining())];
        in.get(leaf);
        byte[] identity = new byte[in.remaining()];
        in.get(identity);
        try {
            PeerCertificateVerifier.authenticate(
                    session(new EncodedCertificate(leaf), new EncodedCertificate(identity)), CLOCK);
        } catch (ParleyException e) {
            if (e.code() != ErrorCode.IDENTITY_REFUSED) {
                throw e; // the only permitted code
            }
            HostileText.assertPrintable(e);
        }
    }
}
