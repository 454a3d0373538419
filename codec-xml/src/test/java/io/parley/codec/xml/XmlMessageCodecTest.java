package io.parley.codec.xml;

import io.parley.codec.MessageCodec;
import io.parley.testkit.codec.MessageCodecContractTest;

/** Runs the contract suite for the XML text codec. */
final class XmlMessageCodecTest extends MessageCodecContractTest {
    @Override
    protected MessageCodec codec() {
        return new XmlMessageCodec();
    }

    @Override
    protected boolean carriesSignatures() {
        return false;
    }
}
