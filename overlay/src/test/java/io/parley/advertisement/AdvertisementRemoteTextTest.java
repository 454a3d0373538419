package io.parley.advertisement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.parley.error.PeerFaultException;
import io.parley.testkit.HostileText;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A document with hostile text in each of its places: the exception is printable, with its causes. */
class AdvertisementRemoteTextTest {

    private final AdvertisementCodec documents = AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<HOSTILE/>",
                "<a HOSTILE='x'/>",
                "<a>&HOSTILE;</a>",
                "<a></HOSTILE>",
                "<!DOCTYPE HOSTILE><a/>",
                "<!DOCTYPE nHOSTILE><a/>",
                "<?xml version='1.0' encoding='HOSTILE'?><a/>",
                "HOSTILE",
                "<jxta:PipeAdvertisement xmlns:jxta='http://jxta.org'><Id>HOSTILE</Id><Type>JxtaUnicast</Type>"
                        + "</jxta:PipeAdvertisement>",
                "<jxta:PipeAdvertisement xmlns:jxta='http://jxta.org'><Id>urn:jxta:uuid-1</Id><Type>HOSTILE</Type>"
                        + "</jxta:PipeAdvertisement>",
                "<jxta:PA xmlns:jxta='http://jxta.org'><PID>HOSTILE</PID></jxta:PA>",
                "<jxta:PA xmlns:jxta='http://jxta.org'><Svc><MCID>HOSTILE</MCID></Svc></jxta:PA>"
            })
    void document(String text) {
        for (String hostile : new String[] {HostileText.XML_TEXT, HostileText.TEXT}) {
            byte[] document = text.replace("HOSTILE", hostile).getBytes(StandardCharsets.UTF_8);
            Throwable failure = catchThrowable(() -> documents.decode(document));
            assertThat(failure).isInstanceOf(PeerFaultException.class);
            HostileText.assertPrintable(failure);
        }
    }
}
