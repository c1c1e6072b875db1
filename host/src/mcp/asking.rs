//! Asks the user behind a client, in the way that the client's protocol version allows.
//!
//! Up to version 2025-11-25, the server asks while the call is running. Since 2026-07-28, the call ends with the
//! question, and the client repeats it with the answer and a ticket. The ticket is signed by this process, bound to
//! the tool, its arguments and everything that was shown, and valid once within ten minutes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use iac_core::permission::{Answer, Choice, Question};
use rmcp::model::{
    CallToolRequestParams, ConstTitle, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, EnumSchema, ErrorData, InputRequest, InputRequiredResult, JsonObject,
    LegacyEnumSchema, PrimitiveSchemaDefinition, ProtocolVersion, RequestStateCodec, RequestStateError,
    SealOptions, SingleSelectEnumSchema, TitledSingleSelectEnumSchema,
};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer, ServiceError};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::answer::is_modern;
use super::flow::Slot;
use crate::consent::{Asked, Asker, Asking, Caller, GOOD, LEAST};

/// The name of the question among the inputs of a call.
const INPUT: &str = "permission";

/// The only field of the form.
const FIELD: &str = "decision";

/// The most open questions at a time. A user who got hundreds of them would read none.
const AT_ONCE: usize = 4;

/// Limits the open questions. Others wait in order of arrival.
#[derive(Clone, Debug)]
pub(super) struct Questions(Arc<Semaphore>);

impl Questions {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }

    /// Waits until there is room for another question.
    ///
    /// # Errors
    /// No place was free in time. This is an error and not an answer, because a user who was not asked has not refused.
    async fn turn(&self, patience: Duration) -> Result<SemaphorePermit<'_>, String> {
        let began = tokio::time::Instant::now();
        // The wait ends while an answer could still reach the client.
        match tokio::time::timeout(patience.saturating_sub(LEAST), self.0.acquire()).await {
            Ok(Ok(turn)) => Ok(turn),
            _ => Err(format!(
                "{AT_ONCE} earlier questions were open for {} seconds, which is the limit; call again after they are answered",
                began.elapsed().as_secs()
            )),
        }
    }
}

/// Issues tickets, and accepts each of them once.
pub(super) struct Tickets {
    codec: RequestStateCodec,
    /// When each ticket that is still open was issued. The expiry inside the ticket uses the system clock, which may
    /// be set back.
    open: Mutex<BTreeMap<String, Instant>>,
}

/// The contents of a ticket. Its call and its time are in the signature.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Ticket {
    /// A random value for this ticket.
    nonce: String,
    /// The digest that identifies the question.
    digest: String,
}

/// The error for a ticket that this process did not issue for this call. MCP requires an error here; a ticket that
/// has only expired leads to a new question.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Forged;

impl From<Forged> for ErrorData {
    fn from(Forged: Forged) -> Self {
        let what = "`requestState`: expected the one that this server gave for the same tool and arguments; \
                    send the call again without it";
        Self::invalid_params(what, None)
    }
}

impl Tickets {
    /// Generates the key of this process.
    pub(super) fn new() -> Self {
        let key: [u8; 32] = random();
        let codec = RequestStateCodec::try_new(key.to_vec()).expect("a key of 32 bytes is long enough");
        Self { codec, open: Mutex::default() }
    }

    fn issue(&self, place: &str, digest: String) -> String {
        let nonce = data_encoding::HEXLOWER.encode(&random::<16>());
        let mut open = self.open();
        open.retain(|_, made| made.elapsed() < GOOD);
        open.insert(nonce.clone(), Instant::now());
        let ticket = serde_json::to_vec(&Ticket { nonce, digest }).expect("a ticket is plain data");
        self.codec.seal_with(&ticket, &SealOptions::new().associated_data(place.as_bytes()).ttl(GOOD))
    }

    /// Accepts a ticket; `None` if it has expired or was used before.
    ///
    /// # Errors
    /// This process did not make the ticket for this call.
    fn take(&self, place: &str, state: &str) -> Result<Option<Ticket>, Forged> {
        let opened = match self.codec.open_with(state, place.as_bytes()) {
            Ok(opened) => opened,
            Err(RequestStateError::Expired) => return Ok(None),
            Err(error) => {
                tracing::warn!(%error, "an answer had an invalid ticket");
                return Err(Forged);
            }
        };
        let ticket: Ticket = serde_json::from_slice(&opened).map_err(|_| Forged)?;
        let made = self.open().remove(&ticket.nonce);
        let is_good = made.is_some_and(|made| made.elapsed() < GOOD);
        if !is_good {
            tracing::warn!("an answer arrived twice, or too late");
        }
        Ok(is_good.then_some(ticket))
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Instant>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system gives random bytes to every process");
    bytes
}

/// Identifies the call that a ticket is valid for: one tool with the same arguments, in any order.
fn place(tool: &str, arguments: &JsonObject) -> String {
    let mut arguments = Json::Object(arguments.clone());
    arguments.sort_all_objects();
    serde_json::json!([tool, arguments]).to_string()
}

/// Returns the caller, and the way to ask the user behind it.
///
/// # Errors
/// The call brings a ticket that was not issued for it.
pub(super) fn caller(
    tickets: &Tickets,
    questions: &Questions,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Caller, Forged> {
    let answer = answer(tickets, request, context)?;
    let slot = context.extensions.get::<Arc<Slot>>().cloned();
    let timed = |caller: Caller| match &slot {
        Some(slot) => Caller { since: slot.since, kept: slot.began - slot.since, ..caller },
        None => caller,
    };
    let client = client(context);
    let forms = context.client_capabilities().and_then(|all| all.elicitation);
    let forms = forms.is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none());
    let asker: Arc<dyn Asker> = match (forms, is_modern(context)) {
        (false, _) => return Ok(timed(Caller::alone(&client))),
        (true, true) => Arc::new(Again { answer }),
        (true, false) => {
            let titled =
                context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2025_11_25);
            Arc::new(Meanwhile {
                peer: context.peer.clone(),
                titled,
                client: client.clone(),
                questions: questions.clone(),
                slot: slot.clone(),
            })
        }
    };
    Ok(timed(Caller::new(&client, asker)))
}

fn client(context: &RequestContext<RoleServer>) -> String {
    let info = context.client_info();
    info.map_or_else(|| "unknown client".to_owned(), |info| format!("{} {}", info.name, info.version))
}

/// Ends a call with a question.
pub(super) fn input_required(
    tickets: &Tickets,
    question: &Question,
    tool: &str,
    arguments: &JsonObject,
) -> InputRequiredResult {
    let ticket = tickets.issue(&place(tool, arguments), question.digest().to_hex());
    let request = InputRequest::Elicitation(ElicitRequest::new(form(question, true)));
    InputRequiredResult::new(Some(BTreeMap::from([(INPUT.to_owned(), request)])), Some(ticket))
}

/// Returns the digest of the question and the user's answer, if the call brings them.
fn answer(
    tickets: &Tickets,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Option<(String, Said)>, Forged> {
    let Some(state) = request.request_state.as_deref() else { return Ok(None) };
    let arguments = request.arguments.clone().unwrap_or_default();
    let Some(ticket) = tickets.take(&place(&request.name, &arguments), state)? else { return Ok(None) };
    let input = request.input_responses.as_ref().and_then(|inputs| inputs.get(INPUT));
    let result: Option<ElicitResult> = input.and_then(|input| serde_json::from_value(input.clone()).ok());
    let by = format!("form, {}", client(context));
    Ok(result.map(|result| (ticket.digest, Said { choice: choice(&result), by })))
}

/// A client of the stateless protocol. The answer comes with the call, or else the call ends and is repeated.
#[derive(Debug)]
struct Again {
    answer: Option<(String, Said)>,
}

/// The user's answer.
#[derive(Debug)]
struct Said {
    choice: Choice,
    by: String,
}

impl Asker for Again {
    fn ask<'a>(&'a self, question: &'a Question, _: Duration) -> Asking<'a> {
        let asked = match &self.answer {
            Some((digest, Said { choice, by })) if *digest == question.digest().to_hex() => {
                Asked::Answered(Answer::Chosen { choice: *choice, digest: question.digest(), by: by.clone() })
            }
            _ => Asked::Later,
        };
        Box::pin(async { asked })
    }

    fn brought(&self) -> Option<&str> {
        self.answer.as_ref().map(|(digest, _)| digest.as_str())
    }
}

/// An older client, which is asked while its call is running.
#[derive(Debug)]
struct Meanwhile {
    peer: Peer<RoleServer>,
    titled: bool,
    client: String,
    questions: Questions,
    slot: Option<Arc<Slot>>,
}

impl Asker for Meanwhile {
    fn ask<'a>(&'a self, question: &'a Question, patience: Duration) -> Asking<'a> {
        Box::pin(async move {
            let _parked = self.slot.as_ref().and_then(|slot| slot.park());
            let began = Instant::now();
            let _turn = match self.questions.turn(patience).await {
                Ok(turn) => turn,
                Err(why) => return Asked::NoWay(why),
            };
            let patience = patience.saturating_sub(began.elapsed());
            let asked =
                self.peer.create_elicitation_with_timeout(form(question, self.titled), Some(patience)).await;
            match asked {
                Ok(result) => {
                    let (choice, digest) = (choice(&result), question.digest());
                    Asked::Answered(Answer::Chosen { choice, digest, by: format!("form, {}", self.client) })
                }
                Err(ServiceError::Timeout { .. }) => {
                    let why = format!("no answer within {} seconds", patience.as_secs());
                    Asked::Answered(Answer::Unanswered(why))
                }
                Err(ServiceError::McpError(error)) => {
                    Asked::NoWay(format!("the client cannot ask: {}", error.message))
                }
                Err(error) => {
                    Asked::Answered(Answer::Unanswered(format!("the client disconnected: {error}")))
                }
            }
        })
    }
}

/// Reads the choice. Only an accepted form with one of the choices counts as approval.
fn choice(result: &ElicitResult) -> Choice {
    let word = result.content.as_ref().and_then(|content| content.get(FIELD)).and_then(Json::as_str);
    match result.action {
        ElicitationAction::Accept => word.and_then(Choice::parse).unwrap_or(Choice::Deny),
        _ => Choice::Deny,
    }
}

/// Makes the form: the question and the possible answers, with labels for people.
fn form(question: &Question, titled: bool) -> ElicitRequestParams {
    let (values, titles): (Vec<String>, Vec<String>) = question
        .choices()
        .into_iter()
        .map(|choice| (choice.as_str().to_owned(), question.label(choice)))
        .unzip();
    let choices = if titled {
        let one_of = values.into_iter().zip(titles).map(|(value, title)| ConstTitle::new(value, title));
        let choices = TitledSingleSelectEnumSchema::new(one_of.collect());
        EnumSchema::Single(SingleSelectEnumSchema::Titled(choices))
    } else {
        let mut choices = LegacyEnumSchema::new(values);
        choices.enum_names = Some(titles);
        EnumSchema::Legacy(choices)
    };
    let schema = ElicitationSchema::builder()
        .required_property(FIELD, PrimitiveSchemaDefinition::Enum(choices))
        .build()
        .expect("the form has one field, which is required");
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.text(),
        requested_schema: schema,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn arguments(json: Json) -> JsonObject {
        json.as_object().expect("an object").clone()
    }

    #[tokio::test(start_paused = true)]
    async fn questions_wait_in_order_and_no_longer_than_their_call() {
        let questions = Questions::new();
        let patience = Duration::from_secs(50);
        let mut open = Vec::new();
        for _ in 0..AT_ONCE {
            open.push(questions.turn(patience).await.expect("there is room"));
        }
        let why = questions.turn(patience).await.expect_err("nobody answers");
        assert!(why.starts_with("4 earlier questions were open for 48 seconds"), "{why}");
        let (first, second) = (questions.turn(patience), questions.turn(patience));
        let (mut first, mut second) = (std::pin::pin!(first), std::pin::pin!(second));
        assert!(now(first.as_mut()).is_none() && now(second.as_mut()).is_none());
        open.pop();
        assert!(now(second.as_mut()).is_none(), "the first one came first");
        assert!(now(first.as_mut()).is_some());
    }

    /// Returns the output of a future, if it is ready.
    fn now<F: Future>(future: std::pin::Pin<&mut F>) -> Option<F::Output> {
        let mut nobody = std::task::Context::from_waker(std::task::Waker::noop());
        match future.poll(&mut nobody) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        }
    }

    #[test]
    fn a_ticket_is_good_once_and_for_its_own_call() {
        let tickets = Tickets::new();
        let here = place(
            "iac_mcp_set_property",
            &arguments(json!({ "reference": "ref_x", "value": { "a": 1, "b": 2 } })),
        );
        let same = place(
            "iac_mcp_set_property",
            &arguments(json!({ "value": { "b": 2, "a": 1 }, "reference": "ref_x" })),
        );
        assert_eq!(here, same);
        let state = tickets.issue(&here, "d1".to_owned());
        let other = place(
            "iac_mcp_set_property",
            &arguments(json!({ "reference": "ref_y", "value": { "a": 1, "b": 2 } })),
        );
        assert_eq!(tickets.take(&other, &state), Err(Forged));
        assert_eq!(tickets.take(&place("iac_mcp_run_command", &JsonObject::new()), &state), Err(Forged));
        let taken = tickets.take(&same, &state).expect("it is ours");
        assert_eq!(taken.map(|ticket| ticket.digest), Some("d1".to_owned()));
        assert_eq!(tickets.take(&same, &state), Ok(None), "once");
    }

    #[test]
    fn a_ticket_is_as_old_as_it_is_whatever_the_clock_says() {
        let tickets = Tickets::new();
        let (used, late) = (tickets.issue("x", "d1".to_owned()), tickets.issue("x", "d2".to_owned()));
        assert!(tickets.take("x", &used).is_ok_and(|taken| taken.is_some()));
        // The signature uses a clock that may be set back, so it would stay valid for too long.
        let long_ago = Instant::now().checked_sub(2 * GOOD);
        tickets.open().values_mut().for_each(|made| *made = long_ago.unwrap_or(*made));
        tickets.issue("x", "d3".to_owned());
        assert_eq!(tickets.take("x", &used), Ok(None), "once");
        assert_eq!(tickets.take("x", &late) == Ok(None), long_ago.is_some());
    }

    #[test]
    fn a_ticket_of_somebody_else_is_none() {
        let here = place("t", &JsonObject::new());
        let state = Tickets::new().issue(&here, "d1".to_owned());
        let tickets = Tickets::new();
        assert_eq!(tickets.take(&here, &state), Err(Forged));
        let mine = tickets.issue(&here, "d1".to_owned());
        for at in 0..mine.len() {
            let mut altered = mine.clone().into_bytes();
            altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
            let altered = String::from_utf8(altered).expect("ASCII");
            assert!(altered == mine || tickets.take(&here, &altered) == Err(Forged), "{altered}");
        }
        for wrong in ["", "rs1", "{}", "rs1.AAAA.AAAA"] {
            assert_eq!(tickets.take(&here, wrong), Err(Forged));
        }
    }

    #[test]
    fn only_a_choice_of_the_form_is_a_yes() {
        let check = |action: &str, content: Json, expected: Choice| {
            let result: ElicitResult =
                serde_json::from_value(json!({ "action": action, "content": content })).expect("a result");
            assert_eq!(choice(&result), expected, "{action} {content}");
        };
        check("accept", json!({ "decision": "once" }), Choice::Once);
        check("accept", json!({ "decision": "yes" }), Choice::Deny);
        check("accept", json!({ "decision": true }), Choice::Deny);
        check("accept", json!({}), Choice::Deny);
        check("accept", Json::Null, Choice::Deny);
        check("decline", json!({ "decision": "once" }), Choice::Deny);
        check("cancel", json!({ "decision": "always" }), Choice::Deny);
    }
}
