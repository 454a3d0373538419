package io.parley.codec.compress.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Decodes symbols that no encoder writes. */
final class XmlPpmDecoderTest {

    /** The room of all documents here. */
    private static final int BYTES = 1000;

    @Test
    void symbolsOfADocument_giveTheDocument() {
        assertThat(decoded(model -> {
                    element(model);
                    text(model, "one");
                    model.structure(XmlPpm.END);
                    model.pop();
                    end(model);
                }))
                .isEqualTo("<a>one</a>");
    }

    /** Texts of a byte each would take several times the processor time of one text. */
    @Test
    void textBehindAText_isMalformed() {
        assertMalformed("a text behind another one", model -> {
            element(model);
            text(model, "one");
            text(model, "two");
        });
    }

    @Test
    void textBehindKnownWhiteSpace_isMalformed() {
        assertMalformed("a text behind another one", model -> {
            element(model);
            model.structure(XmlPpm.BLANK);
            model.beginName(XmlPpm.BLANK);
            value(model, " ");
            model.structure(XmlPpm.COMMENT);
            model.beginName(XmlPpm.COMMENT);
            value(model, "");
            model.structure(XmlPpm.FIRST_TOKEN + 1);
            text(model, "two");
        });
    }

    /** Each would be a symbol without a byte of the document, so few bytes could take much time. */
    @Test
    void emptyTextsNamesAndTags_areMalformed() {
        assertMalformed("an empty text or name", model -> {
            element(model);
            text(model, "");
        });
        assertMalformed("an empty text or name", model -> {
            element(model);
            model.structure(XmlPpm.UNUSUAL_END);
            model.beginName(XmlPpm.TAG);
            value(model, "");
        });
        assertMalformed("an empty text or name", model -> {
            begin(model);
            model.structure(XmlPpm.ELEMENT);
            model.beginName(XmlPpm.ELEMENT);
            value(model, "");
        });
    }

    @Test
    void numbersThatDoNotExist_areMalformed() {
        assertMalformed("unknown number of a name: 1", model -> {
            element(model);
            model.structure(XmlPpm.FIRST_TOKEN + 1);
        });
        assertMalformed("unknown number of a name: 0", model -> {
            begin(model);
            model.structure(XmlPpm.ELEMENT);
            model.beginName(XmlPpm.ELEMENT);
            value(model, "a");
            model.push(0);
            model.inTag(XmlPpm.FIRST_ATTRIBUTE);
        });
    }

    @Test
    void documentWithoutAnElement_isMalformed() {
        for (int symbol : new int[] {XmlPpm.END, XmlPpm.TEXT, XmlPpm.COMMENT, XmlPpm.BLANK}) {
            assertMalformed("a document begins without an element", model -> {
                begin(model);
                model.structure(symbol);
            });
        }
    }

    @Test
    void moreThanTheStatedSize_isMalformed() {
        assertMalformed("larger than stated", model -> {
            element(model);
            text(model, "x".repeat(BYTES - 2));
        });
    }

    private static void element(XmlModel model) {
        begin(model);
        model.structure(XmlPpm.ELEMENT);
        model.beginName(XmlPpm.ELEMENT);
        value(model, "a");
        model.push(0);
        model.inTag(XmlPpm.END_OF_TAG);
    }

    private static void begin(XmlModel model) {
        model.beginName(XmlPpm.PROLOGUE);
        value(model, "");
    }

    private static void end(XmlModel model) {
        model.beginName(XmlPpm.EPILOGUE);
        value(model, "");
    }

    private static void text(XmlModel model, String text) {
        model.structure(XmlPpm.TEXT);
        model.beginText();
        value(model, text);
    }

    private static void value(XmlModel model, String text) {
        for (byte b : text.getBytes(US_ASCII)) {
            model.value(b);
        }
        model.value(XmlPpm.TERMINATOR);
    }

    private static void assertMalformed(String fault, Consumer<XmlModel> symbols) {
        assertThatThrownBy(() -> decoded(symbols))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                .hasMessageContaining(fault);
    }

    private static String decoded(Consumer<XmlModel> symbols) {
        GrowingArray data = new GrowingArray(0, 10 * BYTES, BYTES);
        BitEncoder coder = new BitEncoder(data);
        symbols.accept(new XmlModel(coder, BYTES));
        assertThat(coder.end(0)).isTrue();
        GrowingArray document = new GrowingArray(0, BYTES, BYTES);
        new XmlPpmDecoder(new XmlModel(new BitDecoder(ByteBuffer.wrap(data.toArray(0))), BYTES), document).decode();
        return new String(document.toArray(0), 0, document.length(), US_ASCII);
    }
}
