package io.parley.advertisement;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.error.PeerFaultException;
import io.parley.testkit.ManualClock;
import java.time.Instant;
import org.junit.jupiter.api.Tag;

/**
 * Decodes arbitrary input as an envelope and as a document. A normal build only replays the inputs in
 * {@code src/test/resources}. To search for new ones, run in the project's directory:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl overlay -am test -Dtest=SignedAdvertisementFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 *
 * <p>A failing input is saved to these resources and must be committed together with its fix.
 */
@Tag("fuzz")
final class SignedAdvertisementFuzzTest {
    private final AdvertisementCodec documents = AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS);
    private final AdvertisementVerifier verifier =
            new AdvertisementVerifier(documents, new ManualClock(Instant.parse("2026-11-21T12:00:00Z")));

    @FuzzTest(maxDuration = "60s")
    void read(byte[] input) {
        try {
            verifier.verify(input);
        } catch (PeerFaultException e) {
            // A fuzzer cannot find a signature, so the following code reads the content without one.
        }
        try {
            roundTrip(verifier.readTrusted(input).advertisement());
        } catch (PeerFaultException e) {
            // expected for bytes that are no envelope
        }
        try {
            roundTrip(documents.decode(input));
        } catch (PeerFaultException e) {
            // expected for bytes that are no document
        }
    }

    private void roundTrip(Advertisement read) {
        // Escapes lengthen a document, so a document near the limit may be too large to encode.
        byte[] document = AdvertisementXmlWriter.write(documents.types().write(read));
        if (document.length <= documents.limits().maxDocumentBytes()
                && !documents.decode(document).equals(read)) {
            throw new AssertionError("round trip changed the advertisement: " + read);
        }
    }
}
