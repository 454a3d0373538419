package io.parley.codec.xml;

import io.parley.codec.MessageLimits;
import io.parley.codec.xml.internal.ElementForm;
import io.parley.codec.xml.internal.FormEncoder;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.util.ArrayList;
import java.util.List;

/**
 * How a message will be written, found before any memory is taken for it. Making one checks the limits.
 *
 * @param elements the forms of the elements, in order
 * @param size what will be written, in bytes
 */
record XmlMessageLayout(List<ElementForm> elements, int size) {

    static XmlMessageLayout of(Message message, MessageLimits limits) {
        FormEncoder encoder = FormEncoder.of(message, limits);
        List<MessageElement> elements = message.elements();
        List<ElementForm> forms = new ArrayList<>(elements.size());
        long size = XmlMessageWriter.MESSAGE_BYTES;
        for (int i = 0; i < elements.size(); i++) {
            ElementForm form = encoder.next(elements.get(i));
            size += XmlMessageWriter.measure(form);
            forms.add(form);
        }
        FormEncoder.checkMessageBytes(size, limits);
        return new XmlMessageLayout(forms, (int) size);
    }
}
