#include "agents/kubernetes/api_server.h"

#include <curl/curl.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agents/claims/json_text.h"

namespace stowage::agent {
namespace {

constexpr char kServiceAccount[] =
    "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr long kConnectMs = 5'000;
constexpr long kCallMs = 15'000;
// The server ends a watch after the first, and the client a little later.
constexpr int kWatchSeconds = 290;
constexpr long kWatchMs = 300'000;
constexpr size_t kMostAnswerBytes = size_t{32} << 20;
// Of what somebody else said, for a message.
constexpr size_t kMostQuoted = 400;

struct Request {
  const char* method = "GET";
  std::string path;
  std::optional<std::string> body;
  bool is_watch = false;
  const Bell* stop = nullptr;
};

struct Transfer {
  Request request;
  std::string answer;
  bool has_event = false;  // a line of a watch has come
};

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Headers = std::unique_ptr<curl_slist, ListDeleter>;

// Takes a piece of the answer. Fewer bytes than it was given end the transfer.
size_t TakePiece(char* bytes, size_t, size_t size, void* context) {
  auto* transfer = static_cast<Transfer*>(context);
  if (transfer->answer.size() + size > kMostAnswerBytes) return 0;
  transfer->answer.append(bytes, size);
  if (transfer->request.is_watch &&
      transfer->answer.find('\n') != std::string::npos) {
    transfer->has_event = true;
    return 0;
  }
  return size;
}

// libcurl asks about once a second whether to go on.
int HasToEnd(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto* transfer = static_cast<Transfer*>(context);
  const Bell* stop = transfer->request.stop;
  return stop != nullptr && stop->HasRung() ? 1 : 0;
}

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  std::ifstream file(path);
  std::string token((std::istreambuf_iterator<char>(file)), {});
  absl::StripAsciiWhitespace(&token);
  if (token.empty() || absl::StrContains(token, '\n')) {
    return absl::UnavailableError(absl::StrCat(
        "cannot read a token for the API server from '", path,
        "'; mount one there (automountServiceAccountToken), or name another "
        "file with --kubernetes-token"));
  }
  return token;
}

absl::StatusOr<Headers> HeadersOf(const ApiServerAddress& address) {
  Headers headers;
  const auto add = [&headers](const std::string& line) {
    headers.reset(curl_slist_append(headers.release(), line.c_str()));
  };
  add("Accept: application/json");
  add("Content-Type: application/json");
  add("Expect:");
  if (address.token_file.empty()) return headers;
  const absl::StatusOr<std::string> token = ReadToken(address.token_file);
  if (!token.ok()) return token.status();
  add(absl::StrCat("Authorization: Bearer ", *token));
  return headers;
}

void SetUp(CURL* easy, const ApiServerAddress& address, const Headers& headers,
           const std::string& url, Transfer* transfer) {
  const Request& request = transfer->request;
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "stowage-agent");
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
                   request.is_watch ? kWatchMs : kCallMs);
  if (!address.ca_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, address.ca_file.c_str());
  }
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method);
  if (request.body.has_value()) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body->size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body->c_str());
  }
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, TakePiece);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, HasToEnd);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, transfer);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
}

absl::StatusCode CodeOf(long status) {
  switch (status) {
    case 404:
      return absl::StatusCode::kNotFound;
    case 401:
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 409:
      return absl::StatusCode::kAborted;
    case 400:
    case 422:
      return absl::StatusCode::kInvalidArgument;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

absl::Status StatusOf(long status, const Transfer& transfer) {
  if (status >= 200 && status < 300) return absl::OkStatus();
  std::string said = TextAt(ParseJson(transfer.answer), "/message");
  if (said.empty()) said = transfer.answer;
  return absl::Status(
      CodeOf(status),
      absl::StrCat("the API server answers ", status, " to ",
                   transfer.request.method, " ", transfer.request.path, ": ",
                   absl::Utf8SafeCHexEscape(said.substr(0, kMostQuoted))));
}

// Makes the call, which leaves its answer in `transfer`.
absl::Status Call(const ApiServerAddress& address, Transfer* transfer) {
  // Thread-safe, and undone by nobody: libcurl serves as long as the process.
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, EasyDeleter> easy(
      ready == CURLE_OK ? curl_easy_init() : nullptr);
  if (easy == nullptr) return absl::UnavailableError("libcurl does not start");
  const absl::StatusOr<Headers> headers = HeadersOf(address);
  if (!headers.ok()) return headers.status();
  SetUp(easy.get(), address, *headers,
        absl::StrCat(address.url, transfer->request.path), transfer);
  const CURLcode code = curl_easy_perform(easy.get());
  const bool is_enough =
      transfer->has_event || code == CURLE_ABORTED_BY_CALLBACK ||
      (transfer->request.is_watch && code == CURLE_OPERATION_TIMEDOUT);
  if (code != CURLE_OK && !is_enough) {
    return absl::UnavailableError(absl::StrCat(
        "the API server at ", address.url,
        " does not answer: ", curl_easy_strerror(code),
        "; look at --kubernetes-api, --kubernetes-ca and the network"));
  }
  long status = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  // 0: it was stopped before there was an answer.
  return status == 0 ? absl::OkStatus() : StatusOf(status, *transfer);
}

absl::StatusOr<nlohmann::json> CallForJson(const ApiServerAddress& address,
                                           Request request) {
  Transfer transfer{.request = std::move(request)};
  if (absl::Status s = Call(address, &transfer); !s.ok()) return s;
  nlohmann::json json = ParseJson(transfer.answer);
  if (!json.is_object()) {
    return absl::UnavailableError(
        absl::StrCat("what answers at ", address.url,
                     " speaks no JSON; is it an API server?"));
  }
  return json;
}

// Does not throw, whatever texts the object has.
std::string Dump(const nlohmann::json& object) {
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

absl::StatusOr<ApiServerAddress> InClusterAddress() {
  const char* host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || port == nullptr) {
    return absl::FailedPreconditionError(
        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: this "
        "is no pod; name the API server with --kubernetes-api");
  }
  const bool is_v6 = absl::StrContains(host, ':');
  return ApiServerAddress{
      .url = absl::StrCat("https://", is_v6 ? "[" : "", host, is_v6 ? "]" : "",
                          ":", port),
      .token_file = absl::StrCat(kServiceAccount, "/token"),
      .ca_file = absl::StrCat(kServiceAccount, "/ca.crt")};
}

absl::StatusOr<nlohmann::json> ApiServer::Get(const std::string& path) const {
  return CallForJson(address_, {.path = path});
}

absl::StatusOr<nlohmann::json> ApiServer::Post(
    const std::string& path, const nlohmann::json& object) const {
  return CallForJson(address_,
                     {.method = "POST", .path = path, .body = Dump(object)});
}

absl::StatusOr<nlohmann::json> ApiServer::Put(
    const std::string& path, const nlohmann::json& object) const {
  return CallForJson(address_,
                     {.method = "PUT", .path = path, .body = Dump(object)});
}

absl::Status ApiServer::Delete(const std::string& path) const {
  return CallForJson(address_, {.method = "DELETE", .path = path}).status();
}

absl::Status ApiServer::AwaitChange(const std::string& path,
                                    const std::string& resource_version,
                                    const Bell& stop) const {
  Transfer transfer{
      .request = {
          .path = absl::StrCat(path, "&watch=1&timeoutSeconds=", kWatchSeconds,
                               "&resourceVersion=", Escaped(resource_version)),
          .is_watch = true,
          .stop = &stop}};
  return Call(address_, &transfer);
}

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (absl::ascii_isalnum(c) || absl::StrContains("-._~", c)) {
      escaped += c;
    } else {
      absl::StrAppendFormat(&escaped, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

}  // namespace stowage::agent
