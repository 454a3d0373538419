package io.parley.identity;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.parley.identity.internal.PeerCertificateVerifier;
import io.parley.testkit.HostileText;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
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

    @FuzzTest(maxDuration = "60s")
    void verify(byte[] input) throws CertificateException {
        if (input.length < 2) {
            return;
        }
        ByteBuffer in = ByteBuffer.wrap(input);
        byte[] leaf = new byte[Math.min(in.getShort() & 0xFFFF, in.remaining())];
        in.get(leaf);
        byte[] identity = new byte[in.remaining()];
        in.get(identity);
        X509Certificate[] chain;
        try {
            chain = new X509Certificate[] {parse(leaf), parse(identity)};
        } catch (CertificateException e) {
            return; // the TLS engine rejects the chain
        }
        try {
            PeerCertificateVerifier.verify(chain, CLOCK);
        } catch (CertificateException e) {
            HostileText.assertPrintable(String.valueOf(e.getMessage())); // the only permitted exception
        }
    }

    private static X509Certificate parse(byte[] encoded) throws CertificateException {
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded));
    }
}
