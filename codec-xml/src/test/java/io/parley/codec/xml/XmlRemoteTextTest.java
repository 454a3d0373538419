package io.parley.codec.xml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.parley.codec.xml.payload.XmlDocuments;
import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import io.parley.testkit.HostileText;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hostile text in each place of a message or a payload: the exception is printable, with its causes. */
class XmlRemoteTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<HOSTILE/>",
                "<Message version='HOSTILE'/>",
                "<Message version='0'><nHOSTILE/></Message>",
                "<Message version='0'><Element name='a' mime_type='HOSTILE'/></Message>",
                "<Message version='0'><Element name='a' mime_type='a/b;charset=HOSTILE'/></Message>",
                "<Message version='0'><Element name='a' mime_type='a/b' encoding='HOSTILE'/></Message>",
                "<Message version='0'><Element name='a' mime_type='a/b' encoding='base64'>HOSTILE</Element></Message>",
                "<Message version='0'>HOSTILE</Message>",
                "<Message version='0'>&HOSTILE;</Message>",
                "<Message version='0'></HOSTILE>",
                "<!DOCTYPE Message SYSTEM 'HOSTILE'><Message version='0'/>"
            })
    void message(String text) {
        for (String hostile : new String[] {HostileText.XML_TEXT, HostileText.TEXT}) {
            Throwable failure = catchThrowable(() -> Documents.decode(text.replace("HOSTILE", hostile)));
            assertThat(failure).isInstanceOf(PeerFaultException.class);
            HostileText.assertPrintable(failure);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"<LONG:a/>", "<a></LONG>", "<a>&LONG;</a>", "<a LONG:b=''/>", "<?LONG"})
    void longTextOfAPayload_isCut(String text) {
        MessageElement element = MessageElement.ofXml("xml", text.replace("LONG", "p".repeat(1 << 20)));
        Throwable failure = catchThrowable(() -> XmlDocuments.DEFAULTS.read(element));
        assertThat(failure).isInstanceOf(PeerFaultException.class);
        for (Throwable next = failure; next != null; next = next.getCause()) {
            assertThat(next.toString().length()).as("length of the text").isLessThan(1000);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"<HOSTILE/>", "<a HOSTILE=''/>", "<a>&HOSTILE;</a>", "<a></HOSTILE>", "<n:a/><!--HOSTILE"})
    void payload(String text) {
        for (String hostile : new String[] {HostileText.XML_TEXT, HostileText.TEXT}) {
            MessageElement element = MessageElement.ofXml("xml", text.replace("HOSTILE", hostile));
            Throwable failure = catchThrowable(() -> XmlDocuments.DEFAULTS.read(element));
            assertThat(failure).isInstanceOf(PeerFaultException.class);
            HostileText.assertPrintable(failure);
        }
    }
}
