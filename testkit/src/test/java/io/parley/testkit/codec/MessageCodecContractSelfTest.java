package io.parley.testkit.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.parley.codec.MessageCodec;
import io.parley.testkit.codec.StatefulCodec.Fault;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Tests that the contract suite detects faulty codecs. */
final class MessageCodecContractSelfTest {
    private static final ThreadLocal<Fault> FAULT = new ThreadLocal<>();

    @ParameterizedTest
    @CsvSource({
        "UNBOUNDED_STATE, session_ofEverNewNames_keepsNoMoreStateThanDeclared",
        "STATE_OF_FAILED_MESSAGES, encode_thatFailsInMidSession_leavesBothSidesInStep",
        "STATE_OF_FAILED_MESSAGES, encode_fileThatShrankInMidSession_leavesBothSidesInStep",
        "STATE_OF_FAILED_MESSAGES, limits_inOneSession_areThoseOfEachMessage",
        "STATE_OF_MEASURED_MESSAGES, encodedSize_inMidSession_isExactOrUnknownAndChangesNothing",
        "STATE_SHARED_BY_SESSIONS, newSession_knowsNothingOfOthers",
        "UNDECLARED_STATE, session_ofEverNewNames_keepsNoMoreStateThanDeclared",
        "UNDECLARED_STATE, statelessSession_givesMessagesThatStandAlone"
    })
    void codecWithAFault_isFound(Fault fault, String test) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectMethod(Faulty.class, test))
                .build();
        LauncherConfig alone = LauncherConfig.builder()
                .enableLauncherSessionListenerAutoRegistration(false)
                .enableTestExecutionListenerAutoRegistration(false)
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        FAULT.set(fault);
        try {
            LauncherFactory.create(alone).execute(request, listener);
        } finally {
            FAULT.remove();
        }
        assertThat(listener.getSummary().getTestsFoundCount()).isOne();
        assertThat(listener.getSummary().getTestsFailedCount()).isOne();
    }

    /** Runs in the test above only. */
    static final class Faulty extends MessageCodecContractTest {
        private final MessageCodec codec = new StatefulCodec(FAULT.get());

        @Override
        protected MessageCodec codec() {
            return codec;
        }
    }
}
